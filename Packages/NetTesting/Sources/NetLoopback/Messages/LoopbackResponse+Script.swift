#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoopbackResponse {
  /// One step of a raw response.
  public enum Step: Sendable {
    /// Sends bytes as they are.
    case send(Data)
    /// Waits, in real time.
    case pause(Duration)
    /// Waits for something of the caller's, such as a gate that a test opens. It must end when its task is cancelled.
    case wait(@Sendable () async -> Void)
    /// Waits until the client has closed the connection or its half of it. What it still sends is taken in and dropped.
    case waitForClientToLeave
    /// Ends the server's half of the connection: the client reads to the end and may still send.
    case halfClose
    /// Ends the connection in order; later steps are not taken.
    case close
    /// Resets the connection; later steps are not taken.
    case reset

    /// Sends text in UTF-8.
    public static func send(_ text: String) -> Self {
      .send(Data(text.utf8))
    }
  }

  struct Script: Sendable {
    let steps: [Step]
    let keepsConnection: Bool
  }

  /// Bytes instead of a response, whatever they are: not HTTP at all, interim responses, wrong lengths, long fields.
  ///
  /// - Parameters:
  ///   - steps: What is done, in order. Nothing is sent but their bytes.
  ///   - keepsConnection: Whether the connection takes the next request afterwards. Default: it ends.
  public static func raw(_ steps: [Step], keepsConnection: Bool = false) -> Self {
    var response = Self()
    response.script = Script(steps: steps, keepsConnection: keepsConnection)
    return response
  }

  /// Text instead of a response, sent as it is.
  public static func raw(_ text: String, keepsConnection: Bool = false) -> Self {
    raw([.send(text)], keepsConnection: keepsConnection)
  }
}
