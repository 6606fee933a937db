import Foundation
import ParhelionCommands
import SQLiteStore
import TestSupport
import Testing

@Suite struct `The check of a store` {
  private struct Problem: Decodable {
    let kind: String
    let table: String?
    let row: Int64?
    let message: String
  }

  private struct Outcome: Decodable {
    let ok: Bool
    let problems: [Problem]
    let warnings: [Problem]
  }

  private func check(_ path: String) throws -> (status: CommandStatus, Outcome) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["store", "check", path, "--json"], console: console)
    return (status, try JSONDecoder().decode(Outcome.self, from: Data(console.result.utf8)))
  }

  @Test func `finds nothing in a sound store`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let (status, outcome) = try check(path)
      #expect(outcome.problems.map(\.message) == [])
      #expect(status == .success && outcome.ok)
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["store", "check", path], console: console) == .success)
      #expect(console.result == "Nothing is wrong.\n")
    }
  }

  @Test func `warns of a side of a relationship that nothing ever wrote`() throws {
    try withTemporaryDirectory { folder in
      // One side of the only one-to-one relationship between two entities.
      let path = try SampleStore.make(in: folder, changedBy: "UPDATE ZVEST SET ZTAG = NULL")
      let (status, outcome) = try check(path)
      #expect(status == .success && outcome.ok && outcome.problems.isEmpty)
      #expect(outcome.warnings.map(\.table) == ["ZVEST"])
      #expect(outcome.warnings.first?.message.contains("ZTAG is NULL in all") == true)
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["store", "check", path], console: console) == .success)
      #expect(console.result.hasPrefix("warning: inverse: ZVEST: ") && console.result.hasSuffix("Nothing is wrong.\n"))
    }
  }

  @Test func `warns of files that no object has`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: "UPDATE ZTHING SET ZLARGE = NULL"))
      #expect(status == .success && outcome.ok)
      #expect(outcome.warnings.map(\.kind) == ["externalFile"])
      #expect(outcome.warnings.first?.message == "The file \(SampleStore.fileName) belongs to no object.")
    }
  }

  @Test func `warns of objects without what the model requires`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: "UPDATE ZVEST SET ZSIZE = NULL"))
      #expect(status == .success && outcome.ok)
      #expect(outcome.warnings.map(\.kind) == ["value"])
      #expect(outcome.warnings.first?.message.hasPrefix("1 of the objects of Vest have no size") == true)
    }
  }

  static let damages: [(sql: String, kind: String, table: String?, row: Int64?, says: String)] = [
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 4", "primaryKey", "Z_PRIMARYKEY", 4, "below the key 2"),
    ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 2", "primaryKey", "Z_PRIMARYKEY", 2, "the parent 3"),
    ("UPDATE ZTAG SET Z_ENT = 9", "row", "ZTAG", 1, "Z_ENT is 9"),
    ("UPDATE ZTAG SET Z_OPT = NULL", "row", "ZTAG", 1, "no version"),
    ("UPDATE ZTHING SET ZOWNER = 77 WHERE Z_PK = 2", "relationship", "ZTHING", 2, "owner leads to 77"),
    ("UPDATE ZTHING SET Z1_OWNER = 1 WHERE Z_PK = 2", "relationship", "ZTHING", 2, "Z1_OWNER is 1"),
    ("UPDATE ZTHING SET Z_FOK_OWNER = NULL WHERE Z_PK = 1", "order", "ZTHING", 1, "Z_FOK_OWNER is NULL"),
    ("UPDATE ZTHING SET ZTEXT = x'00' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZTEXT has a blob of 1 bytes"),
    ("UPDATE ZTHING SET ZID = x'00' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZID has a blob of 1 bytes"),
    ("UPDATE ZTHING SET ZDATE = 'soon' WHERE Z_PK = 1", "value", "ZTHING", 1, "ZDATE has a text"),
    (
      "DROP INDEX Z_Vest_UNIQUE_label; INSERT INTO ZVEST (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (2, 5, 1, 'a'), (3, 5, 1, 'a')",
      "uniqueness", "ZVEST", 3, "the same label as row 2"
    ),
    ("UPDATE ZOWNER SET ZCOUNTED = 5", "derived", "ZOWNER", 1, "Owner.counted is derived"),
    ("UPDATE ZTHING SET ZTWIN = NULL WHERE Z_PK = 2", "inverse", "ZTHING", 1, "whose twin is NULL"),
    ("INSERT INTO Z_3THINGS VALUES (1, 55)", "join", "Z_3THINGS", nil, "Z_4THINGS is 55"),
    ("UPDATE ZTHING SET ZSMALL = x'09AA' WHERE Z_PK = 1", "row", "ZTHING", 1, "ZSMALL does not begin"),
    ("INSERT INTO ACHANGE (Z_PK, ZENTITY, ZTRANSACTIONID) VALUES (5, 4, 8)", "history", "ACHANGE", 5, "transaction 8"),
    ("ALTER TABLE ZTAG RENAME TO ZOTHER", "layout", "ZTAG", nil, "no table ZTAG"),
    ("ALTER TABLE ZTHING DROP COLUMN ZTEXT", "layout", "ZTHING", nil, "no column ZTEXT"),
  ]

  @Test(arguments: damages)
  func `names table and row`(sql: String, kind: String, table: String?, row: Int64?, says: String) throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(status == .failure && !outcome.ok)
      let problem = try #require(outcome.problems.first { $0.kind == kind }, "\(outcome.problems)")
      #expect(problem.table == table)
      if let row { #expect(problem.row == row) }
      #expect(problem.message.contains(says), "\(problem.message)")
    }
  }

  @Test func `finds a file of a value that is missing`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let values = try #require(StoreLocation(URL(fileURLWithPath: path)).externalDataFolder)
      try FileManager.default.removeItem(at: values.appendingPathComponent(SampleStore.fileName))
      let (_, outcome) = try check(path)
      #expect(outcome.problems.map(\.kind) == ["externalFile"])
      #expect(outcome.problems.first?.row == 1)
    }
  }
}
