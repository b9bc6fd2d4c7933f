extension LoopbackResponse {
  /// Where and how a response breaks off.
  public struct Fault: Sendable, Hashable {
    /// Where.
    public enum Place: Sendable, Hashable {
      /// Nothing of the response is sent.
      case beforeHead
      /// After half of the head, in the middle of a field line.
      case inHead
      /// After so many bytes of the content (0: after the head), whose framing announces more.
      case inBody(after: Int)
    }

    /// How.
    public enum Ending: Sendable, Hashable {
      /// The connection ends in order, with a FIN.
      case close
      /// The connection is reset.
      case reset
      /// Nothing more comes, until the client leaves or the server stops. What the client still sends is taken in and
      /// dropped.
      case stall
    }

    /// Where the response breaks off.
    public var place: Place
    /// How.
    public var ending: Ending

    /// A fault.
    public init(_ place: Place, by ending: Ending) {
      self.place = place
      self.ending = ending
    }
  }

  /// How fast a response is sent, head and content alike.
  public struct Pace: Sendable, Hashable {
    /// The bytes sent at a time, 1 or more.
    public var bytes: Int
    /// The real time between them.
    public var interval: Duration

    /// A pace.
    public init(bytes: Int, every interval: Duration) {
      precondition(bytes > 0, "a response that is sent 0 bytes at a time has no end")
      self.bytes = bytes
      self.interval = interval
    }
  }

  /// This response, broken off.
  public func breaking(_ place: Fault.Place, by ending: Fault.Ending = .close) -> Self {
    var response = self
    response.fault = Fault(place, by: ending)
    return response
  }

  /// This response, sent `bytes` at a time with a pause of `interval` between them.
  public func dripping(bytes: Int = 1, every interval: Duration) -> Self {
    var response = self
    response.pace = Pace(bytes: bytes, every: interval)
    return response
  }

  /// No response: the connection ends, in order or by another way, once the request's head was read.
  public static func noReply(by ending: Fault.Ending = .close) -> Self {
    Self().breaking(.beforeHead, by: ending)
  }
}
