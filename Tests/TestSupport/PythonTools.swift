import Foundation

/// The Python that has the packages that tests need, from `Tools/setup --tests`.
public enum PythonTools {
  /// Its path; `nil` when it is not there.
  public static let python: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appending(path: ".build/tools/python/bin/python").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()
}
