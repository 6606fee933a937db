import Foundation
import ManagedObjectModel
import ObjectRows
import ParhelionCommands
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Store commands` {
  private func run(_ arguments: String...) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["store"] + arguments, console: console)
    return (status, console.result, console.messages)
  }

  /// Reads a document with the decoder, since `JSONSerialization` changes the last digits of
  /// numbers on Linux.
  private func document(_ text: String) throws -> [String: Any] {
    try #require(
      try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8)).value as? [String: Any])
  }

  private struct AnyJSON: Decodable {
    let value: Any

    init(from decoder: any Decoder) throws {
      if let members = try? decoder.container(keyedBy: Name.self) {
        var object: [String: Any] = [:]
        for key in members.allKeys {
          object[key.stringValue] = try members.decode(AnyJSON.self, forKey: key).value
        }
        value = object
      } else if var elements = try? decoder.unkeyedContainer() {
        var array: [Any] = []
        while !elements.isAtEnd { array.append(try elements.decode(AnyJSON.self).value) }
        value = array
      } else {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
          value = NSNull()
        } else if let flag = try? single.decode(Bool.self) {
          value = flag
        } else if let number = try? single.decode(Int64.self) {
          value = number
        } else if let number = try? single.decode(Double.self) {
          value = number
        } else {
          value = try single.decode(String.self)
        }
      }
    }

    private struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  /// Calls a closure with the path of a copy of a fixture store.
  private func withCopy(of name: String, _ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let source = try Fixtures.url("stores/\(name)")
      for suffix in ["", "-wal", "-shm"]
      where FileManager.default.fileExists(atPath: source.path + suffix) {
        try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
          .write(to: folder.appendingPathComponent(name + suffix))
      }
      try body(folder.appendingPathComponent(name).path)
    }
  }

  /// Every fixture store whose model is known, with the options that select the model.
  static let stores: [(name: String, model: [String])] = {
    let folder = Fixtures.coreData?.appendingPathComponent("models").path ?? ""
    let models = [
      "BookMigration__Model1.sqlite": "BookMigration__Model",
      "CareKit__SampleStore2.0.sqlite": "CareKit__CareKitStore",
      "cdt-materials__SurfJournalModel.sqlite": "cdt-materials__SurfJournalModel",
    ]
    return everyStore.filter { !withoutModel.contains($0) }.map { name in
      (name, models[name].map { ["--model", "\(folder)/\($0).xcdatamodeld"] } ?? [])
    }
  }()

  static let withoutModel = ["RestKit__RKSeedDatabase.sqlite", "plaso__kik.sqlite"]

  /// The names of all fixture stores.
  static let everyStore: [String] = {
    guard let folder = Fixtures.coreData?.appendingPathComponent("stores").path else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  // MARK: Dump

  @Test(.requiresFixtures, arguments: stores)
  func `A dump agrees with plain SQL`(name: String, model: [String]) throws {
    try withCopy(of: name) { path in
      let console = RecordingConsole()
      #expect(
        ParhelionTool.run(["store", "dump", path, "--json"] + model, console: console) == .success)
      #expect(console.messages.isEmpty)
      let dump = try document(console.result)
      let entities = try #require(dump["entities"] as? [String: [[String: Any]]])
      let connection = try Connection(.file(path), options: .readOnly)
      let store = try #require(dump["store"] as? [String: Any])
      #expect(
        try connection.value("SELECT Z_UUID FROM Z_METADATA")
          == .text(store["uuid"] as? String ?? ""))
      try expectSameRows(entities, connection)
    }
  }

  /// Checks that every row of every table occurs once, with its key, version and plain values.
  private func expectSameRows(_ entities: [String: [[String: Any]]], _ connection: Connection)
    throws
  {
    let numbers = try connection.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    #expect(numbers.count == entities.count)
    let tables = try connection.rows(
      "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'Z_OPT' AND t.name LIKE 'Z%'"
    )
    let byKey = entities.mapValues { rows in
      Dictionary(
        rows.map { (($0["pk"] as? NSNumber)?.int64Value, $0) },
        uniquingKeysWith: { first, _ in first })
    }
    var total = 0
    for case .text(let table)? in tables.map(\.first) {
      let columns = try connection.rows(
        "SELECT name, type FROM pragma_table_info(?)", [.text(table)])
      for row in try connection.rows("SELECT * FROM \(table) ORDER BY Z_PK") {
        total += 1
        let values = Dictionary(
          zip(columns, row).map { ($0[0], $1) }, uniquingKeysWith: { first, _ in first })
        let entity = numbers.first { $0[1] == values["Z_ENT"] }
        guard case .text(let name)? = entity?[0] else {
          Issue.record("no entity for a row of \(table)")
          continue
        }
        let dumped = byKey[name]?[values["Z_PK"]?.whole]
        try expect(#require(dumped, "\(name) \(row[0])"), has: values)
      }
    }
    #expect(entities.values.reduce(0) { $0 + $1.count } == total)
  }

  private func expect(_ dumped: [String: Any], has values: [Value: Value]) throws {
    #expect((dumped["version"] as? NSNumber)?.int64Value == values["Z_OPT"]?.whole)
    let attributes = try #require(dumped["attributes"] as? [String: Any])
    for (name, value) in attributes {
      // A name that repeats in the table has a suffix.
      guard let stored = values[.text("Z\(name.uppercased())")],
        values[.text("Z\(name.uppercased())1")] == nil
      else {
        continue
      }
      switch stored {
      case .null: #expect(value is NSNull, "\(name)")
      case .integer(let number): #expect((value as? NSNumber)?.int64Value == number, "\(name)")
      case .real(let number): #expect((value as? NSNumber)?.doubleValue == number, "\(name)")
      case .text(let text): #expect(value as? String == text, "\(name)")
      case .blob(let bytes):
        let text = try #require(value as? String)
        let isUUID = bytes.count == 16 && UUID(uuidString: text) != nil
        #expect(isUUID || Data(base64Encoded: text) == Data(bytes), "\(name)")
      }
    }
    let relationships = try #require(dumped["relationships"] as? [String: Any])
    for (name, value) in relationships {
      guard case .integer(let key)? = values[.text("Z\(name.uppercased())")],
        values[.text("Z\(name.uppercased())1")] == nil
      else { continue }
      #expect((value as? NSNumber)?.int64Value == key, "\(name)")
    }
  }

  @Test(.requiresFixtures) func `A dump shows ordered and many-to-many relationships`() throws {
    try withCopy(of: "BrowserServicesKit__Bookmarks_V5.sqlite") { path in
      let dump = try document(run("dump", path, "--json").result)
      let rows = try #require((dump["entities"] as? [String: [[String: Any]]])?["BookmarkEntity"])
      let connection = try Connection(.file(path), options: .readOnly)
      for row in rows {
        let key = try #require((row["pk"] as? NSNumber)?.int64Value)
        let relationships = try #require(row["relationships"] as? [String: Any])
        let children = try connection.rows(
          "SELECT Z_PK FROM ZBOOKMARKENTITY WHERE ZPARENT = \(key) ORDER BY Z_FOK_PARENT, Z_PK")
        #expect(relationships["children"] as? [Int64] == children.compactMap { $0[0].whole })
        let favorites = try connection.rows(
          "SELECT Z_1FAVORITES FROM Z_1FAVORITES WHERE Z_1FAVORITEFOLDERS = \(key) ORDER BY Z_FOK_1FAVORITES"
        )
        #expect(relationships["favorites"] as? [Int64] == favorites.compactMap { $0[0].whole })
      }
      #expect(
        rows.contains {
          (($0["relationships"] as? [String: Any])?["favorites"] as? [Any])?.isEmpty == false
        })
    }
  }

  @Test func `A dump shows every attribute type, and values in files`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(in: folder)
      let dump = try document(run("dump", path, "--json").result)
      let row = try #require((dump["entities"] as? [String: [[String: Any]]])?["Thing"]?.first)
      let attributes = try #require(row["attributes"] as? [String: Any])
      #expect(attributes["flag"] as? Bool == true)
      #expect((attributes["date"] as? NSNumber)?.doubleValue == 12.5)
      #expect((attributes["amount"] as? NSNumber)?.doubleValue == 10.25)
      #expect(attributes["id"] as? String == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
      #expect(attributes["link"] as? String == "https://example.org/a")
      #expect(attributes["bytes"] as? String == "AQID")
      #expect(attributes["large"] as? String == Data("in a file".utf8).base64EncodedString())
      #expect(attributes["small"] as? String == Data("in the row".utf8).base64EncodedString())
      #expect((attributes["place"] as? [String: Any])?["latitude"] as? Double == 1.5)
      #expect(attributes["text"] as? String == "a \"quoted\" \\ line\n\u{1}é")
      #expect(attributes["nothing"] is NSNull)
      let text = run("dump", path).result
      #expect(text.contains("Thing 1, version 1"))
      #expect(text.contains("date: 12.5 (2001-01-01T00:00:12Z)") && !text.contains("nothing:"))
    }
  }

  @Test func `A text dump truncates long data`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(
        in: folder, changedBy: "UPDATE ZTHING SET ZBYTES = zeroblob(1000), ZDATE = 1e300")
      let text = run("dump", path).result
      #expect(text.contains("\"… of 1000 bytes\n"))
      #expect(text.contains("date: 1e+300\n"))
      #expect(run("dump", path, "--json").result.contains(Data(count: 1000).base64EncodedString()))
    }
  }

  @Test(.requiresFixtures) func `A text dump reports a store without objects`() throws {
    try withCopy(of: "scout__Scout-v1.sqlite") { path in
      #expect(run("dump", path).result == "The store has no objects.\n")
    }
  }

  @Test func `A dump shows a Double that is the least Int64`() throws {
    try withTemporaryDirectory { folder in
      let path = try SampleStore.make(
        in: folder, changedBy: "UPDATE ZTHING SET ZLATITUDE = -9223372036854775808.0")
      for outcome in [run("dump", path), run("dump", path, "--json")] {
        #expect(outcome.result.contains("-9.223372036854776e+18"), "\(outcome)")
      }
    }
  }

  // MARK: Check

  @Test(.requiresFixtures, arguments: stores)
  func `Every store that Apple's Core Data wrote is valid`(name: String, model: [String]) throws {
    try withCopy(of: name) { path in
      let console = RecordingConsole()
      #expect(
        ParhelionTool.run(["store", "check", path] + model, console: console) == .success,
        "\(console.result)")
      #expect(console.result.hasSuffix("Nothing is wrong.\n"))
      // One store has a relationship whose other side was never written.
      let warnings = console.result.split(separator: "\n").filter {
        $0.hasPrefix("warning: inverse: ")
      }
      #expect(warnings.isEmpty == (name != "plaso__NoteStore.sqlite"))
      // All other warnings are about values that only the application can read.
      #expect(
        console.result.split(separator: "\n").dropLast().allSatisfy { line in
          warnings.contains(line)
            || line.hasPrefix("warning: value: ") && line.contains("were not checked")
        }, "\(console.result)")
    }
  }

  @Test(.requiresFixtures, arguments: withoutModel)
  func `A store without a known model is checked as far as possible`(name: String) throws {
    try withCopy(of: name) { path in
      let outcome = run("check", path)
      #expect(outcome.status == .success, "\(outcome.result)")
      #expect(
        outcome.result.hasPrefix(
          "warning: model: The store's model is unknown: the store has no copy of it"))
      #expect(outcome.result.hasSuffix("Nothing is wrong.\n"))
    }
  }

  @Test(.requiresFixtures, arguments: withoutModel)
  func `A store without a known model is dumped by its columns`(name: String) throws {
    try withCopy(of: name) { path in
      let outcome = run("dump", path, "--json")
      #expect(
        outcome.status == .success
          && outcome.messages.contains("Columns are shown as stored"))
      let entities = try #require(
        try document(outcome.result)["entities"] as? [String: [[String: Any]]])
      let connection = try Connection(.file(path), options: .readOnly)
      for (entity, rows) in entities {
        let stored = try connection.rows("SELECT * FROM Z\(entity.uppercased()) ORDER BY Z_PK")
        #expect(stored.count == rows.count)
        for (row, values) in zip(rows, stored) {
          #expect((row["columns"] as? [String: Any])?.count == values.count - 3)
          #expect((row["pk"] as? NSNumber)?.int64Value == values[0].whole)
        }
      }
      #expect(entities.values.contains { !$0.isEmpty })
      #expect(run("dump", path).result.isEmpty == false)
    }
  }

  // MARK: Inspect

  @Test(.requiresFixtures, arguments: stores + withoutModel.map { ($0, []) })
  func `A store is described, with or without its model`(name: String, model: [String]) throws {
    try withCopy(of: name) { path in
      let console = RecordingConsole()
      #expect(
        ParhelionTool.run(["store", "inspect", path, "--json"] + model, console: console)
          == .success)
      let description = try document(console.result)
      let entities = try #require(description["entities"] as? [String: [String: Any]])
      #expect(!entities.isEmpty)
      let connection = try Connection(.file(path), options: .readOnly)
      for (entity, described) in entities {
        let number = try #require(described["number"] as? Int64)
        let table = try #require(described["table"] as? String)
        let count = try connection.value("SELECT count(*) FROM \(table) WHERE Z_ENT = \(number)")
        #expect(count?.whole == described["rows"] as? Int64, "\(entity)")
      }
      #expect(entities.values.allSatisfy { $0["versionHash"] is String })
      #expect(run("inspect", path).result.hasPrefix("store "))
    }
  }

  @Test(.requiresFixtures) func `A store's history and other tables are described`() throws {
    try withCopy(of: "plaso__NoteStore.sqlite") { path in
      let description = try document(run("inspect", path, "--json").result)
      #expect((description["history"] as? [String: Any])?["changes"] as? Int64 == 298)
      #expect((description["otherTables"] as? [String])?.contains("ACHANGE") == true)
    }
  }

  // MARK: Failures

  @Test func `A missing file, and one that is not a store, are reported clearly`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("a.sqlite").path
      for command in ["inspect", "dump", "check"] {
        let missing = run(command, path)
        #expect(missing.status == .failure && missing.messages.contains("There is no store"))
      }
      try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
      #expect(run("check", path).messages.contains("is not a SQLite database"))
    }
  }

  @Test(.requiresFixtures) func `A missing or wrong model is reported`() throws {
    try withCopy(of: "plaso__kik.sqlite") { path in
      for command in ["inspect", "dump"] {
        let outcome = run(command, path)
        #expect(
          outcome.status == .success && outcome.messages.contains("--model"),
          "\(command) \(outcome.messages)")
      }
    }
    try withCopy(of: "CoreDataPlus__SampleModel_V1.sqlite") { path in
      let model = try Fixtures.url("models/Groot__Model.xcdatamodeld").path
      let outcome = run("dump", path, "--model", model)
      #expect(outcome.status == .failure && outcome.messages.contains("was not written with"))
    }
  }

  @Test(.requiresFixtures) func `A truncated store is reported as damaged`() throws {
    try withCopy(of: "CoreDataPlus__SampleModel_V1.sqlite") { path in
      try Data(contentsOf: URL(fileURLWithPath: path)).prefix(20_480).write(
        to: URL(fileURLWithPath: path))
      let outcome = run("check", path)
      #expect(outcome.status == .failure)
      #expect(!outcome.result.isEmpty || !outcome.messages.isEmpty)
    }
  }
}

extension Value {
  fileprivate var whole: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
