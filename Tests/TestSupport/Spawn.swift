import Foundation

/// What `posix_spawn` is told.
struct Spawn: ~Copyable {
  #if canImport(Darwin)
  private var actions: posix_spawn_file_actions_t?
  private var attributes: posix_spawnattr_t?
  #else
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  #endif

  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    // A child inherits which signals its parent's thread blocks and ignores, and those of tasks block nearly all.
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }

  deinit {
    var (actions, attributes) = (actions, attributes)
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  /// Opens a file as a standard stream.
  mutating func open(_ descriptor: Int32, _ path: String, _ flags: Int32) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
  }

  /// Attaches a standard stream.
  ///
  /// - Returns: The ends of the pipe, when it goes to one.
  mutating func attach(
    _ descriptor: Int32, to stream: ChildProcess.Stream
  ) throws -> (reading: Int32, writing: Int32)? {
    switch stream {
    case .null:
      open(descriptor, "/dev/null", O_WRONLY)
    case .file(let path):
      open(descriptor, path, O_WRONLY | O_CREAT | O_TRUNC)
    case .descriptor(let other):
      posix_spawn_file_actions_adddup2(&actions, other, descriptor)
    case .lines:
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw ChildProcess.StartFailure(description: "no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
      return (ends[0], ends[1])
    }
    return nil
  }

  /// Starts the process.
  mutating func run(_ words: [String], environment: [String]) throws -> pid_t {
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, words[0], &actions, &attributes, arguments, variables)
    guard code == 0 else {
      throw ChildProcess.StartFailure(
        description: "\(words.joined(separator: " ")): \(String(cString: strerror(code)))")
    }
    return pid
  }
}
