import Foundation
@_spi(NetKits) import NetSQLite
import Testing

/// When the files of a database are set aside.
@Suite struct DatabaseFilesTests {
  private let disk: Disk
  private let files: DatabaseFiles

  init() throws {
    disk = try Disk()
    files = DatabaseFiles(folder: disk.folder, name: "some")
  }

  @Test(arguments: [1, 2, 3]) func `damage is what shows twice`(times: Int) throws {
    try files.makeFolder()
    var (tries, names) = (0, [String?]())
    let open = { () throws(SQLiteError) in
      _ = try files.connection(damage: nil, isAlone: true, settingAside: 1) { () throws(SQLiteError) in
        tries += 1
        try files.makePrivate()
        if tries <= times { throw .damaged("the disk cannot be read") }
        return try Connection(files.database, patience: .zero)
      } report: {
        names.append($1)
      }
    }
    if times < 3 { try open() } else { #expect(throws: SQLiteError.self) { try open() } }
    #expect(tries == min(times + 1, 3))
    #expect(names == (times == 1 ? [] : [files.database + ".corrupt-1"]))
  }
}
