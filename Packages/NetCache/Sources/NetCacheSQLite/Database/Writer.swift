import NetCache
import NetCore
@_spi(NetKits) import NetSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is changed, each change in a transaction: it happens as a whole or not at all, whatever becomes of the process.
final class Writer {
  let connection: Connection
  let limits: CacheLimits
  private let uses: Uses

  init(_ connection: Connection, limits: CacheLimits, uses: Uses) {
    self.connection = connection
    self.limits = limits
    self.uses = uses
  }

  /// Runs `change` in a transaction, in which the uses so far are written down too.
  func transaction<Result>(
    _ change: (inout Counts) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    let (result, number) = try connection.transaction { () throws(SQLiteError) in
      let before = try Counts(connection)
      var counts = before
      for number in uses.take() {
        try connection.run("UPDATE responses SET used = ? WHERE used = ?", counts.next(), number)
      }
      let result = try change(&counts)
      if counts != before { try counts.write(to: connection) }
      return (result, counts.number)
    }
    uses.advance(to: number)
    return result
  }

  /// Writes down the uses so far.
  func flushUses() throws(SQLiteError) {
    try transaction { _ throws(SQLiteError) in }
  }
}

// MARK: Storing

extension Writer {
  /// Stores a response with its whole body.
  func insert(_ head: StoredHead, body: Data) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in
      let id = counts.next()
      let isInline = body.count <= Schema.longestInlineBody
      if !isInline { try insertChunks(of: body, from: 0, response: id) }
      try insert(head, id: id, body: isInline ? body : nil, length: Int64(body.count), &counts)
    }
  }

  /// Stores more of a body whose response is not yet complete.
  ///
  /// - Parameters:
  ///   - response: What the response will be called; `nil` for the first bytes.
  ///   - number: How many chunks it has so far.
  /// - Returns: What the response will be called.
  func append(_ bytes: Data, to response: Int64?, number: Int64) throws(SQLiteError) -> Int64 {
    try transaction { counts throws(SQLiteError) in
      let id = response ?? counts.next()
      if response == nil {
        try connection.run("INSERT INTO writers VALUES (?, 0, ?)", id, Self.now)
      }
      let size = Int64(bytes.count)
      try connection.run("UPDATE writers SET bytes = bytes + ?, active = ? WHERE response = ?", size, Self.now, id)
      try checkWriter()
      try insertChunks(of: bytes, from: number, response: id)
      counts.pending += size
      if counts.pending > limits.bytes / 2 { try discardLeftovers(isAlone: false, &counts) }
      try makeRoom(&counts)
      guard counts.pending <= limits.bytes else { throw SQLiteError("the cache is full of what is on its way") }
      return id
    }
  }

  /// Makes a response visible whose body is in the database but for its last bytes.
  func commit(
    _ head: StoredHead, response: Int64, rest: Data, number: Int64, length: Int64
  ) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in
      let size = try writtenBytes(of: response)
      try connection.run("DELETE FROM writers WHERE response = ?", response)
      try checkWriter()
      counts.pending -= size
      if !rest.isEmpty { try insertChunks(of: rest, from: number, response: response) }
      try insert(head, id: response, body: nil, length: length, &counts)
    }
  }

  /// Forgets a body that will not be complete. Does nothing to a response that is.
  func discard(_ response: Int64) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in try discard(response, &counts) }
  }

  /// Forgets what writers have left behind that ended without a word.
  ///
  /// - Parameter isAlone: Whether nobody else has the database open, so that no writer is at work. If not, those count that
  ///   wrote nothing for an hour.
  func discardLeftovers(isAlone: Bool) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in try discardLeftovers(isAlone: isAlone, &counts) }
  }

  private func discardLeftovers(isAlone: Bool, _ counts: inout Counts) throws(SQLiteError) {
    let end = isAlone ? Double.infinity : Self.now - 3_600
    let left = try connection.rows("SELECT response FROM writers WHERE active <= ?", end) { $0.integer(0) }
    for response in left { try discard(response, &counts) }
  }

  private func discard(_ response: Int64, _ counts: inout Counts) throws(SQLiteError) {
    let size = try writtenBytes(of: response)
    try connection.run("DELETE FROM writers WHERE response = ?", response)
    guard connection.changes == 1 else { return }
    try connection.run("DELETE FROM chunks WHERE response = ?", response)
    counts.pending -= size
  }

  private static var now: Double { Date().timeIntervalSinceReferenceDate }

  /// Whether the writer was still there: one that is silent for very long is taken for dead.
  private func checkWriter() throws(SQLiteError) {
    guard connection.changes == 1 else { throw SQLiteError("the response was given up meanwhile") }
  }

  private func writtenBytes(of response: Int64) throws(SQLiteError) -> Int64 {
    try connection.rows("SELECT bytes FROM writers WHERE response = ?", response) { $0.integer(0) }.first ?? 0
  }

  private func insertChunks(of bytes: Data, from number: Int64, response: Int64) throws(SQLiteError) {
    var rest = bytes
    var number = number
    while !rest.isEmpty {
      try connection.run("INSERT INTO chunks VALUES (?, ?, ?)", response, number, rest.prefix(Schema.chunkSize))
      rest = rest.dropFirst(Schema.chunkSize)
      number += 1
    }
  }

  private func insert(
    _ head: StoredHead, id: Int64, body: Data?, length: Int64, _ counts: inout Counts
  ) throws(SQLiteError) {
    let used = counts.next()
    try removeVariants(replacedBy: head, used: used, &counts)
    let size = length + head.size
    try connection.run(
      "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", id, head.key.url, head.key.partition,
      head.variant, used, size, Int64(head.status.code), head.requestTime.timeIntervalSinceReferenceDate,
      head.responseTime.timeIntervalSinceReferenceDate, length, FieldCoding.encode(head.fields), body)
    counts.entries += 1
    counts.bytes += size
    try makeRoom(&counts)
  }

  /// Removes the response that `head` replaces, and the oldest variants beyond the limit; the others of the key are used now.
  private func removeVariants(
    replacedBy head: StoredHead, used: Int64, _ counts: inout Counts
  ) throws(SQLiteError) {
    let sql = "SELECT id, variant FROM responses WHERE url = ? AND partition = ? ORDER BY id"
    let stored = try connection.rows(sql, head.key.url, head.key.partition) { ($0.integer(0), $0.text(1)) }
    guard !stored.isEmpty else { return }
    let others = stored.filter { $0.1 != head.variant }
    let surplus = others.prefix(max(0, others.count - (limits.variants - 1)))
    for (id, _) in stored.filter({ $0.1 == head.variant }) + surplus { try remove("id = ?", [id], &counts) }
    guard others.count > surplus.count else { return }
    try connection.run(
      "UPDATE responses SET used = ? WHERE url = ? AND partition = ?", used, head.key.url, head.key.partition)
  }
}

// MARK: Changing and removing

extension Writer {
  /// Replaces the head of a response.
  func update(_ id: Int64, to head: StoredHead) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in
      let sql = "SELECT size, length FROM responses WHERE id = ?"
      guard let (old, length) = try connection.rows(sql, id, read: { ($0.integer(0), $0.integer(1)) }).first else {
        return
      }
      let size = length + head.size
      try connection.run(
        "UPDATE responses SET size = ?, status = ?, requested = ?, received = ?, fields = ? WHERE id = ?", size,
        Int64(head.status.code), head.requestTime.timeIntervalSinceReferenceDate,
        head.responseTime.timeIntervalSinceReferenceDate, FieldCoding.encode(head.fields), id)
      counts.bytes += size - old
      try makeRoom(&counts)
    }
  }

  /// Removes what is selected.
  func remove(_ selection: CacheSelection) throws(SQLiteError) {
    try transaction { counts throws(SQLiteError) in
      switch selection {
      case .all:
        try connection.run("DELETE FROM chunks WHERE response NOT IN (SELECT response FROM writers)")
        try connection.run("DELETE FROM responses")
        (counts.entries, counts.bytes) = (0, 0)
      case .url(let url): try remove("url = ?", [url], &counts)
      case .prefix(let prefix):
        // Up to the first text that begins otherwise: no text has a byte like the last one.
        let end = TextBytes(bytes: Array(prefix.utf8) + [0xFF])
        try remove("url >= ? AND url < ?", [prefix, end], &counts)
      case .partition(let partition): try remove("partition = ?", [partition], &counts)
      case .response(let id, _): try remove("id = ?", [id], &counts)
      }
    }
  }

  /// Gives the room of what was removed back to the disk, also that in the log. Somebody who is reading may prevent it.
  func shrink() {
    try? connection.runOnce("PRAGMA incremental_vacuum")
    try? connection.runOnce("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func remove(
    _ condition: String, _ values: [any SQLiteValue], _ counts: inout Counts
  ) throws(SQLiteError) {
    let sum = "SELECT count(*), ifnull(sum(size), 0) FROM responses WHERE \(condition)"
    guard let (entries, bytes) = try connection.rows(sum, with: values, read: { ($0.integer(0), $0.integer(1)) }).first,
      entries > 0
    else { return }
    try connection.run(
      "DELETE FROM chunks WHERE response IN (SELECT id FROM responses WHERE \(condition))", with: values)
    try connection.run("DELETE FROM responses WHERE \(condition)", with: values)
    counts.entries -= entries
    counts.bytes -= bytes
  }

  /// Removes the keys that were used longest ago until the limits hold.
  private func makeRoom(_ counts: inout Counts) throws(SQLiteError) {
    while counts.entries > limits.entries || counts.bytes + counts.pending > limits.bytes {
      guard
        let used = try connection.rows("SELECT used FROM responses ORDER BY used LIMIT 1", read: { $0.integer(0) })
          .first
      else { return }
      try remove("used = ?", [used], &counts)
    }
  }
}
