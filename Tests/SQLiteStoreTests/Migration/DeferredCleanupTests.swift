import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore
import Testing

@Suite struct `Deferred migration` {
  private static let old = "A\n  x String\n  gone String\nB\n  y String"
  private static let new = "A\n  x String"
  private static let rows = """
    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZGONE) VALUES (1, 1, 1, 'a', 'g');
    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZY) VALUES (1, 2, 1, 'y')
    """

  private func open(_ store: borrowing MigratedStore, _ text: String, defers: Bool = true) throws
    -> OpenedStore
  {
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    options.defersCleanup = defers
    let model = try model(text)
    return try withExtendedLifetime(model) {
      try StoreOpening(url: store.url, layouts: .of(model), options: options).run()
    }
  }

  private func isDeferred(_ store: borrowing MigratedStore) throws -> Bool {
    let metadata = try StoreFiles.metadata(at: store.url).dictionary
    return metadata["NSPersistentStoreDeferredLightweightMigrationOptionKey"] as? Bool == true
  }

  @Test func `Unneeded tables and columns stay until the work is finished`() throws {
    let store = try MigratedStore(Self.old, filledBy: Self.rows)
    let opened = try open(store, Self.new)
    #expect(try isDeferred(store))
    #expect(try opened.connection.rows("SELECT ZX, ZGONE FROM ZA") == [["a", "g"]])
    #expect(try opened.connection.value("SELECT count(*) FROM Z_DEFERRED_ZB") == 1)
    let rows = try SQLiteRowStore(opened)
    #expect(try rows.performDeferredTask())
    #expect(try isDeferred(store))
    #expect(try rows.performDeferredTask())
    #expect(try !isDeferred(store))
    #expect(try !rows.performDeferredTask())
    try rows.close()
    try store.open(Self.new).connection.close()
  }

  @Test func `The tasks remove tables and columns, and no object changes`() throws {
    let store = try MigratedStore(Self.old, filledBy: Self.rows)
    let rows = try SQLiteRowStore(open(store, Self.new))
    while try rows.performDeferredTask() {}
    try rows.close()
    let connection = try Connection(.file(store.url.path))
    #expect(try connection.rows("SELECT Z_PK, Z_OPT, ZX FROM ZA") == [[1, 1, "a"]])
    #expect(
      try connection.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z%' ORDER BY 1")
        == [["ZA"], ["Z_METADATA"], ["Z_MODELCACHE"], ["Z_PRIMARYKEY"]])
    #expect(try connection.issues(.full) == [])
  }

  @Test func `A later migration performs the remaining work first`() throws {
    let store = try MigratedStore(Self.old, filledBy: Self.rows)
    try open(store, Self.new).connection.close()
    let again = try open(store, "A\n  x String\n  gone Integer16\nB\n  y String", defers: false)
    #expect(try again.connection.rows("SELECT ZX, ZGONE FROM ZA") == [["a", nil]])
    #expect(try again.connection.value("SELECT count(*) FROM ZB") == 0)
    #expect(try !isDeferred(store))
  }

  @Test func `A program that sets other metadata keeps the remaining tasks`() throws {
    let store = try MigratedStore(Self.old, filledBy: Self.rows)
    let rows = try SQLiteRowStore(open(store, Self.new))
    #expect(try rows.metadata()["ParhelionDeferredMigrationTasks"] == nil)
    try rows.setMetadata(["mine": 1])
    #expect(try isDeferred(store))
    try StoreFiles.setMetadata(["mine": 2], at: store.url)
    #expect(try isDeferred(store))
    #expect(try rows.performDeferredTask())
    #expect(try rows.performDeferredTask())
    #expect(try !rows.performDeferredTask())
    #expect(try rows.metadata()["mine"] != nil)
    try rows.close()
  }

  @Test func `A migration without unneeded parts leaves no work`() throws {
    let store = try MigratedStore(Self.old, filledBy: Self.rows)
    _ = try open(store, "\(Self.old)\n  z String")
    #expect(try !isDeferred(store))
  }

  @Test func `Columns with indexes, constraints and triggers can be dropped later`() throws {
    let store = try MigratedStore(
      """
      A index=x unique=gone\n  x String\n  gone String\n  up String derived=uppercase:(x)\n  \
      b -> B as\nB\n  as ->> A b
      """,
      filledBy: """
        INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2);
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZGONE, ZB) VALUES (1, 1, 1, 'a', 'g', 1)
        """)
    let new = "A\n  x String\n  up String derived=uppercase:(x)\nB"
    let rows = try SQLiteRowStore(open(store, new))
    #expect(try isDeferred(store))
    while try rows.performDeferredTask() {}
    try rows.close()
    let opened = try store.open(new)
    #expect(try opened.connection.rows("SELECT ZX, ZUP FROM ZA") == [["a", "A"]])
  }
}
