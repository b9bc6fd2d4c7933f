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
    #if canImport(Darwin)
    // Not built by this project's CI, which runs on Linux.
    let place = "Library/Application Support"
    #else
    let place = ".local/state"
    if let folder = absolute(environment["XDG_STATE_HOME"]) { return folder + "/brewtips" }
    #endif
    let home = absolute(environment["HOME"]) ?? FileManager.default.homeDirectoryForCurrentUser.path
    return "\(home)/\(place)/brewtips"
  }

  private static func absolute(_ path: String?) -> String? {
    path?.hasPrefix("/") == true ? path : nil
  }
}
