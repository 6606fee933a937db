import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Testing

@Suite struct `Migrating a store through an interim store` {
  private static let old = "A\n  x Integer16"

  /// Opens a store of the model `old` with another model; SQL fills the interim store.
  private static func open(
    _ url: URL, _ text: String = "A index=x\n  x String", rows: Int = 2,
    _ configure: (inout StoreOpening) -> Void = { _ in }
  ) throws -> OpenedStore {
    let model = try SQLiteStoreTests.model(text)
    return try withExtendedLifetime(model) {
      var options = StoreOptions()
      options.migratesAutomatically = true
      // A tiny cache makes SQLite write pages of the unfinished transaction to the files.
      options.pragmas = ["cache_size": "5"]
      var opening = StoreOpening(url: url, layouts: .of(model), options: options)
      opening.findMapping = { _ in
        { place in
          let made = try StoreOpening(url: place, layouts: .of(model)).run()
          try made.prepareForWriting()
          let source = try Connection(.file(url.path), options: .readOnly)
          for row in try source.rows("SELECT Z_PK, 'x' || ZX FROM ZA") {
            try made.connection.run(
              "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (?, 1, 1, ?)",
              row)
          }
          try made.connection.run("UPDATE Z_PRIMARYKEY SET Z_MAX = ?", [.integer(Int64(rows))])
          try made.connection.close()
          try source.close()
        }
      }
      configure(&opening)
      return try opening.run()
    }
  }

  private static func store(rows: Int = 2) throws -> MigratedStore {
    try MigratedStore(
      old,
      filledBy: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) SELECT i, 1, 1, i FROM n
        """)
  }

  private static func expectFormer(_ url: URL, rows: Int = 2) throws {
    let model = try SQLiteStoreTests.model(old)
    let opened = try StoreOpening(url: url, layouts: .of(model)).run()
    #expect(
      try opened.connection.value("SELECT count(*) FROM ZA WHERE ZX = Z_PK")
        == .integer(Int64(rows)))
    #expect(try opened.connection.issues(.full) == [])
    try opened.connection.close()
  }

  @Test func `Rows, indexes and keys are those of the interim store`() throws {
    let store = try Self.store()
    let opened = try Self.open(store.url)
    #expect(try opened.connection.rows("SELECT Z_PK, ZX FROM ZA") == [[1, "x1"], [2, "x2"]])
    #expect(try opened.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY") == 2)
    #expect(
      try opened.connection.value(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'ZA' AND sql > ''"
      )
        == 1)
    #expect(try opened.connection.issues(.full) == [])
  }

  @Test func `Derived attributes and spatial indexes keep working`() throws {
    let text = "A rtree=n\n  x String\n  n Double\n  d String derived=uppercase:(x)"
    let store = try Self.store()
    let opened = try Self.open(store.url, text)
    try opened.prepareForWriting()
    try opened.connection.execute("UPDATE ZA SET ZX = 'new', ZN = 3 WHERE Z_PK = 1")
    #expect(try opened.connection.value("SELECT ZD FROM ZA WHERE Z_PK = 1") == "NEW")
    #expect(try opened.connection.issues(.full) == [])
  }

  @Test func `Without a mapping the store is refused`() throws {
    let store = try Self.store()
    let error = #expect(throws: StoreError.self) {
      _ = try Self.open(store.url) { $0.findMapping = { _ in nil } }
    }
    #expect(error?.code == .migrationMissingMappingModel)
    try Self.expectFormer(store.url)
  }

  @Test func `A failure at any step leaves the store unchanged`() throws {
    struct Failure: Error {}
    for failing in MigrationStep.allCases {
      let store = try Self.store()
      let error = #expect(throws: StoreError.self) {
        _ = try Self.open(store.url) {
          $0.whileMigrating = { step in if step == failing { throw Failure() } }
        }
      }
      #expect(error?.code == .migration)
      try Self.expectFormer(store.url)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter {
          $0.contains("migrationdestination")
        } == [])
      #expect(try Self.open(store.url).connection.value("SELECT count(*) FROM ZA") == 2)
    }
  }

  @Test(arguments: MigrationStep.allCases)
  func `A killed process leaves the store unchanged`(step: MigrationStep) async throws {
    let store = try Self.store(rows: 5000)
    let path = store.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, step = "\(step)" as String] in
      _ = try Self.open(URL(fileURLWithPath: path), rows: 5000) {
        $0.whileMigrating = { now in if "\(now)" == step { kill(getpid(), SIGKILL) } }
      }
    }
    try Self.expectFormer(store.url, rows: 5000)
    let opened = try Self.open(store.url, rows: 5000)
    #expect(
      try opened.connection.value("SELECT count(*) FROM ZA WHERE ZX = 'x' || Z_PK") == 5000)
    #expect(try opened.connection.issues(.full) == [])
  }

  @Test func `A full disk leaves the store unchanged`() throws {
    let store = try Self.store(rows: 5000)
    let error = #expect(throws: StoreError.self) {
      _ = try Self.open(store.url, rows: 5000) { opening in
        let limited = opening.options.pragmas.merging(["max_page_count": "1"]) { $1 }
        opening = opening.limited(pragmas: limited)
      }
    }
    #expect(error?.code == .outOfSpace)
    try Self.expectFormer(store.url, rows: 5000)
    #expect(
      try Self.open(store.url, rows: 5000).connection.value("SELECT count(*) FROM ZA") == 5000)
  }

  @Test func `A store that another process migrated meanwhile is opened as it is`() throws {
    let store = try Self.store()
    var isFirst = true
    let opened = try Self.open(store.url) { opening in
      let find = opening.findMapping
      opening.findMapping = { source in
        if isFirst {
          isFirst = false
          try Self.open(store.url).connection.close()
        }
        return try find?(source)
      }
    }
    #expect(try opened.connection.rows("SELECT ZX FROM ZA") == [["x1"], ["x2"]])
  }
}

extension StoreOpening {
  /// The same opening with other pragmas.
  fileprivate func limited(pragmas: [String: String]) -> StoreOpening {
    var options = options
    options.pragmas = pragmas
    guard case .file(let url) = location else { return self }
    var opening = StoreOpening(
      url: url, layouts: layouts, configuration: configuration, options: options)
    opening.findMapping = findMapping
    return opening
  }
}
