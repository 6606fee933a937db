import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
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
    ("A\n  x Integer16", "A.x"), ("A\n  x String\n  n Integer16 required", "A.n"),
    ("A\n  x String required", "A.x"),
    ("A\n  x String\n  b -> B was=bs\nB", "A.b"),
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
    #expect(try opened.connection.problems(.full) == [])
    try opened.connection.close()
    let migrated = try store.open("A\n  x String\n  z String required default=new\nB")
    #expect(try migrated.connection.value("SELECT count(*) FROM ZA WHERE ZZ = 'new'") == 5000)
  }
}
