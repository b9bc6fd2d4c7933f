public import NetCore

extension Backend {
  /// What a server works with.
  public struct Configuration: Sendable {
    /// The folder of the database with the port and the users, made when it is missing; `nil` keeps them in memory.
    public var stateFolder: String?
    /// The port, 0 for any free one. Default: `nil`, the same from run to run, or any while another holds it.
    public var port: Int?
    /// Is told of each request (``/NetCore/LogLevel/info``) and of whatever goes wrong with the state (`warning`).
    public var log: any LogSink
    /// The clock that the tip of the day goes by. Default: the machine's.
    public var timeSource = TimeSource.system

    /// What a server with this folder and this log works with.
    public init(stateFolder: String?, log: any LogSink) {
      self.stateFolder = stateFolder
      self.log = log
    }
  }
}
