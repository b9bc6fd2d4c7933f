@_spi(NetKits) import NetSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tables, and how a connection is set up.
///
/// The version is the file's `user_version`. A change of the tables is a new version, and begins anew what an older one wrote:
/// it is a cache. A file of a newer version is left alone.
enum Schema {
  /// `NCH1`.
  private static let stamp = SchemaStamp(applicationID: 0x4E43_4831, version: 1, of: "the cache")

  /// Bodies up to so many bytes are in the row of their response, so that a hit is one read; longer ones would make it
  /// reach beyond its page.
  static let longestInlineBody = 2_048
  /// Longer bodies are in pieces of so many bytes.
  static let chunkSize = 262_144

  /// Before the tables are made, since it decides about the form of the file.
  static let beginning = "PRAGMA auto_vacuum = INCREMENTAL"

  /// What is acknowledged is in the log, which survives the process; only a power cut may take the last commits, and leaves
  /// what was before. Only what is rewritten anyway is overwritten with zeros.
  static let settings = """
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = FAST;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA trusted_schema = OFF;
    """

  static let tables = """
    CREATE TABLE counts (
      number INTEGER NOT NULL,      -- the last that was given to a response or to a use; none is given twice
      entries INTEGER NOT NULL,     -- of the responses
      bytes INTEGER NOT NULL,       -- of their bodies and heads
      pending INTEGER NOT NULL      -- bytes of what is not yet a response
    );
    CREATE TABLE responses (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL,
      partition TEXT NOT NULL,
      variant TEXT NOT NULL,
      used INTEGER NOT NULL,        -- the number of the last use, the same for all variants of a key and for no other
      size INTEGER NOT NULL,        -- bytes of the body and the head
      status INTEGER NOT NULL,
      requested REAL NOT NULL,      -- seconds since 2001
      received REAL NOT NULL,
      length INTEGER NOT NULL,
      fields BLOB NOT NULL,         -- name:value, a line each
      body BLOB                     -- NULL when it is in chunks
    );
    CREATE UNIQUE INDEX responses_by_key ON responses (url, partition, variant);
    CREATE INDEX responses_by_use ON responses (used);
    CREATE TABLE chunks (
      response INTEGER NOT NULL,
      number INTEGER NOT NULL,
      bytes BLOB NOT NULL
    );
    CREATE UNIQUE INDEX chunks_by_response ON chunks (response, number);
    CREATE TABLE writers (
      response INTEGER PRIMARY KEY, -- what it will be called
      bytes INTEGER NOT NULL,       -- in chunks so far
      active REAL NOT NULL          -- when it last wrote
    );
    """
}

extension Schema {
  /// Makes the tables, unless they are there. Part of a transaction.
  ///
  /// - Throws: A damage when the file is no cache; another error when it is one of a newer version.
  static func prepare(_ connection: Connection) throws(SQLiteError) {
    if let found = try stamp.found(in: connection) {
      guard found == stamp.version else { throw .damaged("it was written by an older version") }
      return _ = try Counts(connection)
    }
    try connection.runOnce(tables)
    // Numbers begin at the time in microseconds, so that a new file gives none that one before it gave.
    let number = Int64(Date().timeIntervalSince1970 * 1_000_000)
    try connection.run("INSERT INTO counts VALUES (?, 0, 0, 0)", number)
    try stamp.write(to: connection)
  }
}
