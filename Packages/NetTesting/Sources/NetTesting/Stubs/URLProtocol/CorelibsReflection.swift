#if !canImport(Darwin)
import Dispatch
import Foundation
import FoundationNetworking

/// What stubs need to know of a session on Linux and swift-corelibs-foundation says nowhere: read from its stored
/// properties by name, in `startLoading` or on the work queue only, when nothing else changes them.
///
/// Each of these has a test of its own, which fails when a new toolchain renames something. Nothing is guessed then: the
/// requests fail.
enum CorelibsReflection {
  /// The body of an upload task.
  enum UploadBody {
    case bytes(Data)
    case file(URL)
  }

  /// The queue on which the task's protocol must be called and must call back.
  static func workQueue(of task: URLSessionTask) -> DispatchQueue? {
    property("workQueue", of: task) as? DispatchQueue
  }

  /// What an upload task was given to send, which its request does not have; `nil` for a streamed request.
  static func body(of task: URLSessionUploadTask) -> UploadBody? {
    guard let body = property("knownBody", of: task).flatMap(unwrapped),
      let (label, value) = Mirror(reflecting: body).children.first
    else { return nil }
    return switch (label, value) {
    case ("data", let data as DispatchData): .bytes(Data(data))
    case ("file", let file as URL): .file(file)
    default: nil
    }
  }

  /// Whether a task that has not ended reports to a delegate of its session, and not to a completion handler; `nil` when
  /// it cannot be told.
  static func usesDelegate(_ task: URLSessionTask) -> Bool? {
    guard let session = property("session", of: task).flatMap(unwrapped) as? URLSession,
      let registry = property("taskRegistry", of: session),
      let behaviours = property("behaviours", of: registry)
    else { return nil }
    for entry in Mirror(reflecting: behaviours).children {
      let pair = Mirror(reflecting: entry.value).children.map(\.value)
      guard pair.count == 2, pair[0] as? Int == task.taskIdentifier else { continue }
      return "\(pair[1])" == "callDelegate" && session.delegate is any URLSessionTaskDelegate
    }
    return nil
  }

  private static func property(_ name: String, of object: Any) -> Any? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children where child.label == name { return child.value }
      mirror = current.superclassMirror
    }
    return nil
  }

  private static func unwrapped(_ value: Any) -> Any? {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }
}
#endif
