#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Backend {
  /// Where state is kept: `$XDG_STATE_HOME/brewtips` or `~/.local/state/brewtips` (XDG Base Directory Specification), on
  /// Apple platforms `~/Library/Application Support/brewtips`.
  ///
  /// As the specification demands, a path in `environment` that is not absolute is ignored.
  public static func stateFolder(environment: [String: String]) -> String {
    folder("XDG_STATE_HOME", ".local/state", onDarwin: "Library/Application Support", environment)
  }

  /// Where what can be had again is kept: `$XDG_CACHE_HOME/brewtips` or `~/.cache/brewtips`, on Apple platforms
  /// `~/Library/Caches/brewtips`.
  public static func cacheFolder(environment: [String: String]) -> String {
    folder("XDG_CACHE_HOME", ".cache", onDarwin: "Library/Caches", environment)
  }

  private static func folder(
    _ variable: String, _ place: String, onDarwin darwinPlace: String, _ environment: [String: String]
  ) -> String {
    #if canImport(Darwin)
    // Not built by this project's CI, which runs on Linux.
    let place = darwinPlace
    #else
    if let folder = absolute(environment[variable]) { return folder + "/brewtips" }
    #endif
    let home = absolute(environment["HOME"]) ?? FileManager.default.homeDirectoryForCurrentUser.path
    return "\(home)/\(place)/brewtips"
  }

  private static func absolute(_ path: String?) -> String? {
    path?.hasPrefix("/") == true ? path : nil
  }
}
