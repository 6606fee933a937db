import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Opening a store` {
  /// Opens a store of a model given as text.
  private func open(
    _ url: URL, _ text: String, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> OpenedStore {
    var options = StoreOptions()
    change(&options)
    let model = try model(text)
    return try withExtendedLifetime(model) {
      try StoreOpening(url: url, layouts: .of(model), options: options).run()
    }
  }

  private func error(_ body: () throws -> OpenedStore) throws -> StoreError {
    try #require(throws: StoreError.self) { _ = try body() }
  }

  // MARK: New stores

  @Test func `A new store equals Core Data's`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
      let store = try open(url, "A\n  x String") { $0.makeUUID = { id } }
      let connection = store.connection
      #expect(store.identity.uuid == id.uuidString)
      #expect(store.metadata.uuid == id.uuidString)
      #expect(try connection.get(.pageSize) == 4096)
      #expect(try connection.get(.autoVacuum) == .incremental)
      #expect(try connection.get(.journalMode) == .wal)
      #expect(try connection.rows("SELECT * FROM Z_PRIMARYKEY") == [[1, "A", 0, 0]])
      #expect(try StoredModel.read(connection, at: store.location)?.entitiesByName["A"] != nil)
      #expect(
        store.metadata.versionHashes?["A"]
          == (try model("A\n  x String")).entityVersionHashesByName["A"])
      #expect(store.readsWhileWriting && !store.isReadOnly && store.history == nil)
    }
  }

  @Test func `A new store is found again with the same UUID`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let uuid = try open(url, "A").metadata.uuid
      #expect(try open(url, "A").metadata.uuid == uuid)
    }
  }

  @Test func `History tables are created if the options ask for them`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let store = try open(url, "A\n  x String preserved") { $0.tracksHistory = true }
      #expect(store.tracksHistory)
      #expect(store.history?.tombstoneCount == 1)
      #expect(store.history?.hasStrings == true)
      let rows = try store.connection.rows(
        "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
      #expect(rows == [[16001, "CHANGE"], [16002, "TRANSACTION"], [16003, "TRANSACTIONSTRING"]])
    }
  }

  @Test func `Missing columns for values of deleted rows are added`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try open(url, "A\n  x String") { $0.tracksHistory = true }.connection.close()
      let store = try open(url, "A\n  x String preserved") {
        $0.tracksHistory = true
        $0.ignoresVersioning = true
      }
      #expect(store.history?.tombstoneCount == 1)
    }
  }

  @Test func `An empty file becomes a store unless it is read-only`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      #expect(try error { try open(url, "A") { $0.isReadOnly = true } }.code == .fileNotFound)
      try Data().write(to: url)
      #expect(try error { try open(url, "A") { $0.isReadOnly = true } }.code == .notAStore)
      #expect(try open(url, "A").schema.entities.count == 1)
    }
  }

  @Test(arguments: ["/dev/null", "/dev/null/name"])
  func `The path of the null device keeps a store in memory`(path: String) throws {
    let store = try open(URL(fileURLWithPath: path), "A") { $0.tracksHistory = true }
    #expect(store.location == .memory)
    #expect(store.makeReader == nil && store.tracksHistory)
    try store.prepareForWriting()
    try store.connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
  }

  @Test func `A missing folder is named`() throws {
    try withTemporaryDirectory { folder in
      let found = try error { try open(folder.appendingPathComponent("no/a.sqlite"), "A") }
      #expect(found.code == .cannotOpen)
      #expect(found.message.contains("no/a.sqlite"))
    }
  }

  // MARK: Invalid files

  @Test func `A file that is not a store is refused with its kind`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try Data("hello".utf8).write(to: url)
      #expect(try error { try open(url, "A") }.code == .notAStore)
      try Data("SQLite format 3\0, and then some".utf8).write(to: url)
      #expect(try error { try open(url, "A") }.code == .notAStore)
      try FileManager.default.removeItem(at: url)
      #expect(try error { try open(folder, "A") }.message.contains("is a folder"))
      try Connection(.file(url.path)).execute(
        "CREATE TABLE people(name); CREATE TABLE places(name)")
      let before = try Data(contentsOf: url)
      let found = try error { try open(url, "A") }
      #expect(found.code == .notAStore && found.message.contains("people, places"))
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test(.requiresFixtures, arguments: [100, 4096, 20_000])
  func `A truncated file is refused`(bytes: Int) throws {
    let store = try FixtureStore.named("CoreDataPlus__SampleModel_V1.sqlite")
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      try Data(contentsOf: url).prefix(bytes).write(to: url)
      let model = try store.model()
      let found = try error { try StoreOpening(url: url, layouts: .of(model)).run() }
      #expect(found.code == .notAStore)
    }
  }

  // MARK: Apple's stores

  @Test(.requiresFixtures, arguments: FixtureStore.withModel)
  func `Reading Apple's stores changes no byte`(store: FixtureStore) throws {
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      let log = URL(fileURLWithPath: url.path + "-wal")
      let before = (try Data(contentsOf: url), try? Data(contentsOf: log))
      let model = try store.model()
      try readEverything(of: url, model, tracksHistory: store.hasHistory)
      #expect(try Data(contentsOf: url) == before.0)
      if let content = before.1, !content.isEmpty { #expect(try Data(contentsOf: log) == content) }
    }
  }

  private func readEverything(of url: URL, _ model: NSManagedObjectModel, tracksHistory: Bool)
    throws
  {
    var options = StoreOptions()
    options.tracksHistory = tracksHistory
    let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    #expect(!opened.isReadOnly)
    let makeReader = try #require(opened.makeReader)
    let reader = try makeReader()
    for entity in opened.schema.entities {
      _ = try reader.rows("SELECT count(*) FROM \(entity.table)")
      _ = try opened.connection.rows(
        "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number)")
    }
    try reader.close()
    try opened.connection.close()
  }

  @Test(.requiresFixtures) func `Rows are read from the log`() throws {
    let store = try FixtureStore.named("cdt-materials__SurfJournalModel.sqlite")
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      let model = try store.model()
      for change in [
        { (_: inout StoreOptions) in }, { $0.isReadOnly = true }, { $0.isSnapshot = true },
      ] {
        var options = StoreOptions()
        change(&options)
        let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
        #expect(try opened.connection.value("SELECT count(*) FROM ZJOURNALENTRY") == .integer(5000))
      }
    }
  }

  @Test(.requiresFixtures) func `Writing to Apple's stores keeps unknown contents`()
    throws
  {
    let store = try FixtureStore.named("plaso__Accounts3.sqlite")
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      try Connection(.file(url.path)).execute("CREATE TABLE mine(x); INSERT INTO mine VALUES (7)")
      let model = try store.model()
      let opened = try StoreOpening(url: url, layouts: .of(model)).run()
      try opened.prepareForWriting()
      let metadata = opened.metadata
      try metadata.write(to: opened.connection, at: opened.location)
      try opened.connection.close()
      let again = try StoreOpening(url: url, layouts: .of(model)).run()
      #expect(again.metadata == metadata)
      #expect(again.metadata.dictionary["ACAccountTypeVersion"] != nil)
      #expect(try again.connection.value("SELECT x FROM mine") == .integer(7))
    }
  }

  @Test(.requiresFixtures) func `Functions called by Apple's triggers are registered`() throws {
    let store = try FixtureStore.named("CoreDataPlus__SampleModel2_V2.sqlite")
    try withTemporaryDirectory { folder in
      let url = try store.copy(to: folder)
      let model = try store.model()
      var options = StoreOptions()
      options.tracksHistory = true
      let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
      let before =
        try opened.connection.value("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = 1")?.integerValue
        ?? 0
      try opened.connection.execute(
        "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZBOOK, Z1_BOOK) VALUES (99999, 4, 1, 1, 1)")
      let after = try opened.connection.value("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = 1")?
        .integerValue
      #expect(after == before + 1)
    }
  }

  @Test func `Function names are learned from triggers`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let text = "P\n  name String\n  folded String derived=canonical:(name)"
      let made = try open(url, text)
      let triggers = try made.connection.rows(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      #expect(triggers.contains { "\($0[1])".contains("ParhelionCanonical(") })
      for row in triggers {
        guard case .text(let name) = row[0], case .text(let sql) = row[1] else { continue }
        try made.connection.execute("DROP TRIGGER \(name)")
        try made.connection.execute(sql.replacing("ParhelionCanonical", with: "NSCoreDataWhoKnows"))
      }
      try made.connection.close()
      let opened = try open(url, text)
      try opened.connection.execute("INSERT INTO ZP (Z_PK, Z_ENT, ZNAME) VALUES (1, 1, 'É')")
      #expect(try opened.connection.value("SELECT ZFOLDED FROM ZP") == "e")
    }
  }

  // MARK: Other versions

  @Test func `A store of another version is refused, and the entities are named`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try open(url, "A\n  x String\nB\nC").connection.close()
      let found = try error { try open(url, "A\n  x Integer16\nC\nD") }
      #expect(found.code == .incompatibleModel)
      #expect(found.context["changed"] == "A")
      #expect(found.context["onlyInStore"] == "B")
      #expect(found.context["onlyInModel"] == "D")
      #expect(found.message.contains("changed: A; only in the store: B; only in the model: D"))
    }
  }

  @Test func `The store's own model decides if a hash is not certain`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let text = "A\n  place Composite elements=lat/Double"
      let made = try open(url, text)
      try made.prepareForWriting()
      var other = made.metadata
      other.entries[StoreMetadata.Key.hashes] = .dictionary([
        "A": .data([UInt8](repeating: 7, count: 32))
      ])
      try other.write(to: made.connection, at: made.location)
      try made.connection.close()
      #expect(try open(url, text).metadata == other)
      let found = try error { try open(url, "A\n  place Composite elements=lat/Double,lon/Double") }
      #expect(found.code == .incompatibleModel)
    }
  }

  // MARK: Options

  @Test func `Pragmas are set by name, and invalid values are refused`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let store = try open(url, "A") {
        $0.pragmas = ["journal_mode": "DELETE", "synchronous": "OFF", "page_size": "8192"]
      }
      #expect(try store.connection.get(.journalMode) == .delete)
      #expect(try store.connection.get(.synchronous) == .off)
      #expect(try store.connection.get(.pageSize) == 8192)
      #expect(!store.readsWhileWriting)
      let found = try error { try open(url, "A") { $0.pragmas = ["journal_mode": "sideways"] } }
      #expect(found.message.contains("sideways"))
    }
  }

  @Test func `The journal mode of a file changes at the first write`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try open(url, "A") { $0.pragmas = ["journal_mode": "DELETE"] }.connection.close()
      let store = try open(url, "A")
      #expect(try store.connection.get(.journalMode) == .delete)
      try store.prepareForWriting()
      #expect(try store.connection.get(.journalMode) == .wal)
    }
  }

  @Test func `A store is analysed and vacuumed on request`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      let store = try open(url, "A index=x\n  x String")
      try store.prepareForWriting()
      try store.connection.execute("INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')")
      try store.connection.close()
      let again = try open(url, "A index=x\n  x String") {
        $0.analyzes = true
        $0.vacuums = true
      }
      #expect(try again.connection.value("SELECT count(*) FROM sqlite_stat1") != .integer(0))
    }
  }

  @Test func `Without the option, a store with a history opens read-only`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try open(url, "A") { $0.tracksHistory = true }.connection.close()
      let store = try open(url, "A")
      #expect(store.readOnlyReason == .historyWithoutOption)
      #expect(throws: SQLiteError.self) { try store.connection.execute("DELETE FROM ZA") }
    }
  }

  @Test func `A read-only store writes nothing`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try open(url, "A").connection.close()
      let store = try open(url, "A") { $0.isReadOnly = true }
      #expect(store.readOnlyReason == .requested)
      #expect(throws: SQLiteError.self) { try store.connection.execute("DELETE FROM ZA") }
    }
  }
}

extension Value {
  fileprivate var integerValue: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
