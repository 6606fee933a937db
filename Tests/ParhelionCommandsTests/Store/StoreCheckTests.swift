import Foundation
import ParhelionCommands
import SQLiteStore
import TestSupport
import Testing

@Suite struct `The check of a store` {
  private struct ReportedIssue: Decodable {
    let kind: String
    let table: String?
    let row: Int64?
    let message: String
  }

  private struct Outcome: Decodable {
    let ok: Bool
    let issues: [ReportedIssue]
    let warnings: [ReportedIssue]
  }

  private func check(_ path: String) throws -> (status: CommandStatus, Outcome) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["store", "check", path, "--json"], console: console)
    return (status, try JSONDecoder().decode(Outcome.self, from: Data(console.result.utf8)))
  }

  @Test func `A valid store has no issues`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let (status, outcome) = try check(path)
      #expect(outcome.issues.map(\.message) == [])
      #expect(status == .success && outcome.ok)
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["store", "check", path], console: console) == .success)
      #expect(console.result == "Nothing is wrong.\n")
    }
  }

  @Test func `Names that a migration left are warnings`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(
        in: folder,
        changedBy: "ALTER TABLE ZTHING RENAME COLUMN ZNOTHING TO ZNOTHING1")
      let (status, outcome) = try check(path)
      #expect(status == .success && outcome.issues.map(\.message) == [])
      let warning = outcome.warnings.first { $0.table == "ZTHING" }
      #expect(warning?.kind == "layout")
      #expect(warning?.message.contains("ZNOTHING1") == true)
    }
  }

  /// The sample's model in a file for `--model`.
  private func modelOption(in folder: URL) throws -> String {
    let bundle = folder.appendingPathComponent("Sample.xcdatamodel", isDirectory: true)
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try Data(SampleStore.text.utf8).write(to: bundle.appendingPathComponent("contents"))
    return bundle.path
  }

  @Test func `A store is valid under a given model`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder, changedBy: "DELETE FROM Z_MODELCACHE")
      let console = RecordingConsole()
      let arguments = ["store", "check", path, "--model", try modelOption(in: folder)]
      #expect(ParhelionTool.run(arguments, console: console) == .success)
      #expect(console.result == "Nothing is wrong.\n", "\(console.result) \(console.messages)")
    }
  }

  @Test func `Without a model, the check warns that the model is unknown`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "DELETE FROM Z_MODELCACHE"))
      #expect(status == .success && outcome.issues.isEmpty, "\(outcome.issues)")
      #expect(outcome.warnings.map(\.kind) == ["model"])
      #expect(outcome.warnings.first?.message.contains("the store has no copy of it") == true)
    }
  }

  @Test func `An unreadable copy of the model is reported, and the check continues without it`()
    throws
  {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'"))
      #expect(status == .failure)
      #expect(outcome.issues.map(\.kind) == ["model"])
      #expect(
        outcome.warnings.first?.message.contains("the store's copy of it cannot be read") == true)
    }
  }

  @Test(arguments: StoreDamages.withoutModel)
  func `Without a model, issues name table and row`(
    sql: String, kind: String, table: String?, row: Int64?, says: String
  )
    throws
  {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "DELETE FROM Z_MODELCACHE; \(sql)"))
      #expect(status == .failure && !outcome.ok)
      let found = outcome.issues.filter {
        $0.kind == kind && $0.table == table && $0.message.contains(says)
      }
      #expect(found.contains { $0.row == row }, "\(outcome.issues)")
    }
  }

  @Test func `Without a model, external files are found`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder, changedBy: "DELETE FROM Z_MODELCACHE")
      let values = try #require(StoreLocation(URL(fileURLWithPath: path)).externalDataFolder)
      try FileManager.default.removeItem(at: values.appendingPathComponent(SampleStore.fileName))
      let (_, outcome) = try check(path)
      #expect(outcome.issues.map(\.kind) == ["externalFile"])
      #expect(outcome.issues.first?.table == "ZTHING" && outcome.issues.first?.row == 1)
    }
  }

  @Test func `Values that only their application can read are a warning`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "UPDATE ZZEBRA SET ZOWN = x'0102'"))
      #expect(status == .success && outcome.issues.isEmpty)
      #expect(outcome.warnings.map(\.table) == ["ZZEBRA"])
      #expect(
        outcome.warnings.first?.message
          == """
          2 values of own were not checked: no value transformer is registered as \
          SomebodyElses.
          """
      )
    }
  }

  @Test func `A rule reports a hundred rows and says that there are more`() throws {
    try withTemporaryDirectory { folder in
      let sql = """
        WITH RECURSIVE n(k) AS (SELECT 3 UNION ALL SELECT k + 1 FROM n WHERE k < 500)
        INSERT INTO ZZEBRA (Z_PK, Z_ENT, Z_OPT, ZMIDDLE, ZVALUE) SELECT k, 6, 1, 9999999999, x'00' FROM n
        """
      let (_, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      for says in ["not a valid Integer 32", "cannot be made a value"] {
        #expect(outcome.issues.count { $0.message.contains(says) } == 100)
      }
      #expect(outcome.issues.count { $0.message == "More rows have the same issue." } == 2)
    }
  }

  @Test func `A store without a UUID is reported`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder, changedBy: "UPDATE Z_METADATA SET Z_UUID = NULL")
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["store", "check", path], console: console) == .failure)
      #expect(console.result.contains("Z_UUID in Z_METADATA is NULL"), "\(console.result)")
    }
  }

  @Test(arguments: ["SELECT 1;", "UPDATE ZOWNER SET ZCOUNTED = 0;"])
  func `A trigger with another effect is a warning`(body: String) throws {
    let name = "Z_DA_ZTHING_Owner_counted_PARAMETER_DELETE"
    try withTemporaryDirectory { folder in
      let sql =
        "DROP TRIGGER \(name); CREATE TRIGGER \(name) AFTER DELETE ON ZTHING BEGIN \(body) END"
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(status == .success && outcome.issues.isEmpty, "\(outcome.issues)")
      #expect(outcome.warnings.map(\.table) == ["ZTHING"])
      #expect(
        outcome.warnings.first?.message.contains("The trigger \(name) differs")
          == true)
    }
  }

  @Test(arguments: [
    (
      "UPDATE ZTHING SET Z_FOK_OWNER = 2048", "ZTHING",
      "2 members have the same place in Z_FOK_OWNER as another"
    ),
    (
      "UPDATE Z_6ZOOS SET Z_FOK_6ZEBRAS = 5", "Z_6ZOOS",
      "2 members have the same place in Z_FOK_6ZEBRAS as another"
    ),
  ])
  func `Members that share a position are a warning`(sql: String, table: String, says: String)
    throws
  {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(status == .success && outcome.issues.isEmpty, "\(outcome.issues)")
      #expect(outcome.warnings.map(\.table) == [table])
      #expect(outcome.warnings.first?.message.contains(says) == true, "\(outcome.warnings)")
    }
  }

  @Test func `Triggers are compared by effect, not by quotes and letter case`()
    throws
  {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(
          in: folder,
          changedBy: "ALTER TABLE ZTHING RENAME TO ZOTHER; ALTER TABLE ZOTHER RENAME TO ZTHING"))
      #expect(status == .success && outcome.issues.isEmpty && outcome.warnings.isEmpty)
    }
  }

  @Test
  func `A broken value's message ends with one full stop and has no advice about models`()
    throws
  {
    try withTemporaryDirectory { folder in
      let (_, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "UPDATE ZZEBRA SET ZVALUE = x'00FF' WHERE Z_PK = 2")
      )
      #expect(
        outcome.issues.map(\.message) == [
          """
          ZVALUE cannot be made a value of the attribute value: its 2 bytes are not a \
          readable keyed archive: The archive does not start like a binary property list.
          """
        ])
    }
  }

  @Test func `An infinite number is accepted, but not as a date`() throws {
    try withTemporaryDirectory { folder in
      let (_, outcome) = try check(
        SampleStore.make(
          in: folder,
          changedBy: "UPDATE ZTHING SET ZLATITUDE = 9e999, ZDATE = -9e999 WHERE Z_PK = 1"))
      #expect(
        outcome.issues.map(\.message).map {
          $0.hasPrefix("ZDATE has -inf, which is not a valid Date")
        }
          == [true])
    }
  }

  @Test func `A side of a relationship that was never written is a warning`() throws {
    try withTemporaryDirectory { folder in
      // One side of the only one-to-one relationship between two entities.
      let path = try SampleStore.make(in: folder, changedBy: "UPDATE ZVEST SET ZTAG = NULL")
      let (status, outcome) = try check(path)
      #expect(status == .success && outcome.ok && outcome.issues.isEmpty)
      #expect(outcome.warnings.map(\.table) == ["ZVEST"])
      #expect(outcome.warnings.first?.message.contains("ZTAG is NULL in all") == true)
      let console = RecordingConsole()
      #expect(ParhelionTool.run(["store", "check", path], console: console) == .success)
      #expect(
        console.result.hasPrefix("warning: inverse: ZVEST: ")
          && console.result.hasSuffix("Nothing is wrong.\n"))
    }
  }

  @Test func `Files without an object are a warning`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "UPDATE ZTHING SET ZLARGE = NULL"))
      #expect(status == .success && outcome.ok)
      #expect(outcome.warnings.map(\.kind) == ["externalFile"])
      #expect(
        outcome.warnings.first?.message == "The file \(SampleStore.fileName) belongs to no object.")
    }
  }

  @Test func `Objects that lack required values are a warning`() throws {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(
        SampleStore.make(in: folder, changedBy: "UPDATE ZVEST SET ZSIZE = NULL"))
      #expect(status == .success && outcome.ok)
      #expect(outcome.warnings.map(\.kind) == ["value"])
      #expect(
        outcome.warnings.first?.message.hasPrefix("1 of the objects of Vest has no size") == true)
    }
  }

  @Test(
    arguments: StoreDamages.layout + StoreDamages.rows + StoreDamages.relationships
      + StoreDamages.history
      + StoreDamages.values + StoreDamages.metadata)
  func `Issues name table and row`(
    sql: String, kind: String, table: String?, row: Int64?, says: String
  )
    throws
  {
    try withTemporaryDirectory { folder in
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(status == .failure && !outcome.ok)
      let found = outcome.issues.filter {
        $0.kind == kind && $0.table == table && $0.message.contains(says)
      }
      #expect(found.contains { $0.row == row }, "\(outcome.issues)")
    }
  }

  @Test func `A missing external file is found`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let values = try #require(StoreLocation(URL(fileURLWithPath: path)).externalDataFolder)
      try FileManager.default.removeItem(at: values.appendingPathComponent(SampleStore.fileName))
      let (_, outcome) = try check(path)
      #expect(outcome.issues.map(\.kind) == ["externalFile"])
      #expect(outcome.issues.first?.row == 1)
    }
  }

  @Test func `An entity that may have its former name is a warning`() throws {
    try withTemporaryDirectory { folder in
      let sql = "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Zone' WHERE Z_ENT = 7"
      let (status, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(status == .success && outcome.warnings.map(\.kind) == ["primaryKey"])
      #expect(
        outcome.warnings.first?.message.hasPrefix("“Zone”, the name of row 7, is not an entity")
          == true)
    }
  }

  @Test func `Derived values are not checked if that needs a full scan`() throws {
    try withTemporaryDirectory { folder in
      let sql = "UPDATE ZOWNER SET ZCOUNTED = 5; DROP INDEX ZTHING_ZOWNER_INDEX"
      let (_, outcome) = try check(SampleStore.make(in: folder, changedBy: sql))
      #expect(outcome.issues.map(\.kind) == ["layout"])
      #expect(outcome.warnings.map(\.kind) == ["derived"])
    }
  }

  @Test func `An external file that is empty or a folder is found`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let values = try #require(StoreLocation(URL(fileURLWithPath: path)).externalDataFolder)
      let file = values.appendingPathComponent(SampleStore.fileName)
      try Data().write(to: file)
      #expect(
        try check(path).1.issues.map(\.message) == [
          "The file \(SampleStore.fileName) with the value of large is empty."
        ])
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      #expect(try check(path).1.issues.first?.message.hasSuffix("is not a file.") == true)
    }
  }
}
