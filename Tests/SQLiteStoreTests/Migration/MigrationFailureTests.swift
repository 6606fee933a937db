import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

@Suite struct `Failed migrations` {
  private func error(_ body: () throws -> OpenedStore) throws -> StoreError {
    try #require(throws: StoreError.self) { _ = try body() }
  }

  private static let inferring: StoreOptions = {
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    return options
  }()

  @Test(arguments: [
    ("A\n  x Integer16", "A.x"), ("A\n  x String\n  b -> B was=bs\nB", "A.b"),
    ("R\nA : R\n  x String\n  bs ->> B\nB : R", "R"),
    ("A\n  x String\n  bs ->> C\nB\nC", "A.bs"), ("A\n  bs ->> B\n  x -> B\nB", "A.x"),
  ])
  func `A migration that cannot be inferred is refused with the reason`(text: String, named: String)
    throws
  {
    let store = try MigratedStore(
      "A\n  x String\n  bs ->> B\nB", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1)")
    let before = try Data(contentsOf: store.url)
    let found = try #require(throws: StoreError.self) { _ = try store.open(text) }
    #expect(found.code == .inferredMappingModel)
    #expect(found.message.contains("\(named):"))
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test(arguments: [
    ("A\n  x String\n  n Integer16 required\n  bs ->> B\nB", "A.n"),
    ("A\n  x String required\n  bs ->> B\nB", "A.x"),
  ])
  func `A required value that an object lacks is refused with the reason`(
    text: String, named: String
  ) throws {
    let old = "A\n  x String\n  bs ->> B\nB"
    let store = try MigratedStore(
      old, filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, NULL), (2, 1, 'a')")
    let before = try Data(contentsOf: store.url)
    let found = try #require(throws: StoreError.self) { _ = try store.open(text) }
    #expect(found.code == .migration)
    #expect(found.message.contains("\(named) is required"))
    #expect(try Data(contentsOf: store.url) == before)
    let empty = try MigratedStore(old, filledBy: "")
    #expect(try empty.open(text).connection.value("SELECT count(*) FROM ZA") == 0)
  }

  /// Opens a store with a model, with the metadata from which a migration may begin.
  private func migrate(
    _ url: URL, to text: String, expecting metadata: StoreMetadata?,
    whileMigrating: ((MigrationStep) throws -> Void)? = nil
  ) throws -> OpenedStore {
    let model = try model(text)
    return try withExtendedLifetime(model) {
      var opening = StoreOpening(url: url, layouts: .of(model), options: Self.inferring)
      opening.expectedMetadata = metadata
      opening.whileMigrating = whileMigrating
      return try opening.run()
    }
  }

  @Test func `A store that another process migrated further is not migrated back`() throws {
    let versions = ["A\n  x String", "A\n  x String\n  y String", "A\n  x String\n  z String"]
    let store = try MigratedStore(
      versions[0], filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')")
    let seen = try StoreFiles.metadata(at: store.url)
    let further = try store.open(versions[2])
    try further.connection.execute("UPDATE ZA SET ZZ = 'b'")
    try further.connection.close()
    let error = try error { try migrate(store.url, to: versions[1], expecting: seen) }
    #expect(error.code == .migratedElsewhere)
    let now = try StoreFiles.metadata(at: store.url)
    let unchanged = try migrate(store.url, to: versions[2], expecting: seen)
    #expect(try unchanged.connection.rows("SELECT ZX, ZZ FROM ZA") == [["a", "b"]])
    try unchanged.connection.close()
    // The caller knows this version of the store, so it may migrate the store back.
    let back = try migrate(store.url, to: versions[1], expecting: now)
    #expect(try back.connection.rows("SELECT ZX, ZY FROM ZA") == [["a", .null]])
    try back.connection.close()
  }

  @Test func `Changing the metadata keeps what another process writes`() throws {
    let store = try MigratedStore("A\n  x String", filledBy: "")
    try StoreFiles.changeMetadata(at: store.url) { metadata in
      var changed = metadata
      changed.entries["own"] = .string("mine")
      return changed
    }
    var connectionOptions = Connection.Options(mode: .readWrite)
    connectionOptions.busyPolicy = .fail
    let writer = try Connection(.file(store.url.path), options: connectionOptions)
    let blocked = Mutex(false)
    try StoreFiles.changeMetadata(at: store.url) { metadata in
      // The transaction excludes other writers from the read to the write.
      blocked.withLock { blocked in
        blocked = (try? writer.execute("BEGIN IMMEDIATE")) == nil
      }
      var changed = metadata
      changed.entries["more"] = .string("too")
      return changed
    }
    #expect(blocked.withLock { $0 })
    try writer.close()
    let metadata = try StoreFiles.metadata(at: store.url)
    #expect(metadata.entries["own"] == .string("mine"))
    #expect(metadata.entries["more"] == .string("too"))
  }

  @Test func `A value can become required if every object has one`() throws {
    let store = try MigratedStore(
      "A\n  x String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')")
    let opened = try store.open("A\n  x String required")
    #expect(try opened.connection.rows("SELECT ZX FROM ZA") == [["a"]])
  }

  @Test func `A migration is refused if the options forbid inference`() throws {
    let store = try MigratedStore("A", filledBy: "")
    let model = try model("A\n  x String")
    var options = Self.inferring
    options.infersMapping = false
    let found = try error {
      try StoreOpening(url: store.url, layouts: .of(model), options: options).run()
    }
    #expect(found.code == .migrationMissingMappingModel)
  }

  @Test func `A migration is refused without a model of the store`() throws {
    let store = try MigratedStore("A", filledBy: "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let found = try #require(throws: StoreError.self) { _ = try store.open("A\n  x String") }
    #expect(found.code == .migrationMissingSourceModel)
  }

  @Test func `A newer version that the program does not know is refused with nothing changed`()
    throws
  {
    let store = try MigratedStore(
      "A\n  x String\n  y String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZY) VALUES (1, 1, 'y')")
    let older = try model("A\n  x String")
    let before = try Data(contentsOf: store.url)
    for (options, hasVersions) in [(StoreOptions(), false), (Self.inferring, true)] {
      let found = try error {
        var opening = StoreOpening(url: store.url, layouts: .of(older), options: options)
        opening.hasVersions = { hasVersions }
        return try opening.run()
      }
      #expect(found.code == .incompatibleModel && found.code.cocoaCode == 134100)
      #expect(try Data(contentsOf: store.url) == before)
    }
    // A store that only lacks a property of the model is older, and is migrated.
    let wider = try model("A\n  x String\n  y String\n  z String")
    var opening = StoreOpening(url: store.url, layouts: .of(wider), options: Self.inferring)
    opening.hasVersions = { true }
    #expect(try opening.run().connection.value("SELECT ZY FROM ZA") == "y")
  }

  @Test func `A read-only store is not migrated`() throws {
    let store = try MigratedStore("A", filledBy: "")
    let model = try model("A\n  x String")
    var options = Self.inferring
    options.isReadOnly = true
    let found = try error {
      try StoreOpening(url: store.url, layouts: .of(model), options: options).run()
    }
    #expect(found.code == .migration)
    #expect((found.underlying as? StoreError)?.code == .readOnly)
  }

  @Test func `Rows that break a new constraint leave the store unchanged`() throws {
    let store = try MigratedStore(
      "A\n  x String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a'), (2, 1, 'a')")
    let found = try #require(throws: StoreError.self) {
      _ = try store.open("A unique=x\n  x String")
    }
    #expect(found.code == .migrationConstraintViolation)
    let again = try store.open("A\n  x String\n  y String")
    #expect(try again.connection.value("SELECT count(*) FROM ZA") == 2)
  }

  @Test func `A failure at any step leaves the store unchanged`() throws {
    struct Failure: Error {}
    for failing in MigrationStep.allCases {
      let store = try MigratedStore(
        "A\n  x String", filledBy: "INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (1, 1, 'a')")
      let model = try model("B was=A\n  y String was=x")
      var opening = StoreOpening(url: store.url, layouts: .of(model), options: Self.inferring)
      opening.whileMigrating = { step in if step == failing { throw Failure() } }
      #expect(try error { try opening.run() }.code == .migration)
      let old = try self.model("A\n  x String")
      let opened = try StoreOpening(url: store.url, layouts: .of(old)).run()
      #expect(try opened.connection.rows("SELECT ZX FROM ZA") == [["a"]])
    }
  }

  private func model(_ text: String) throws -> NSManagedObjectModel {
    try SQLiteStoreTests.model(text)
  }

  @Test func `A killed process leaves the store unchanged`() async throws {
    let rows = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) SELECT i, 1, 1, 'row ' || i FROM n
      """
    let store = try MigratedStore("A\n  x String\n  y String", filledBy: rows)
    let path = store.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let model = try SQLiteStoreTests.model("A\n  x String\n  z String required default=new\nB")
      var options = StoreOptions()
      options.migratesAutomatically = true
      options.infersMapping = true
      // A tiny cache makes SQLite write pages of the unfinished transaction to the files.
      options.pragmas = ["cache_size": "5"]
      var opening = StoreOpening(
        url: URL(fileURLWithPath: path), layouts: .of(model), options: options)
      opening.whileMigrating = { step in if step == .replaced { kill(getpid(), SIGKILL) } }
      _ = try opening.run()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count > 100_000)
    let old = try model("A\n  x String\n  y String")
    let opened = try StoreOpening(url: store.url, layouts: .of(old)).run()
    #expect(
      try opened.connection.value("SELECT count(*) FROM ZA WHERE ZX = 'row ' || Z_PK") == 5000)
    #expect(try opened.connection.issues(.full) == [])
    try opened.connection.close()
    let migrated = try store.open("A\n  x String\n  z String required default=new\nB")
    #expect(try migrated.connection.value("SELECT count(*) FROM ZA WHERE ZZ = 'new'") == 5000)
  }
}
