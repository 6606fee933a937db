import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing
import WatchedDisks

/// Migrations that a loss of power or a full disk interrupts.
@Suite struct `Interrupted migrations` {
  private static let old = """
    A index=x
      x String
      bs ->> B as
    B
      as ->> A bs
    C
      gone String
    """
  private static let new = """
    A2 was=A unique=x index=n
      x String
      n Integer16 required default=5
      bs ->> B as ordered
    B
      as ->> A2 bs
    """

  private static let rows = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < COUNT)
    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) SELECT i, 1, 1, 'a long text for row ' || i FROM n;
    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) SELECT Z_PK, 2, 1 FROM ZA WHERE Z_PK <= 30;
    INSERT INTO Z_1BS SELECT Z_PK, 1 + Z_PK % 30 FROM ZA;
    INSERT INTO ZC (Z_PK, Z_ENT, ZGONE) SELECT Z_PK, 3, ZX FROM ZA
    """

  private static func opening(
    _ model: NSManagedObjectModel, at url: URL, pragmas: [String: String] = [:],
    deferring: Bool = false
  ) -> StoreOpening {
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    options.pragmas = pragmas
    options.defersCleanup = deferring
    return StoreOpening(url: url, layouts: .of(model), options: options)
  }

  private static func make(at url: URL, count: Int = 60) throws {
    let model = try model(old)
    let made = try StoreOpening(url: url, layouts: .of(model), options: StoreOptions()).run()
    try made.prepareForWriting()
    try made.connection.execute(rows.replacing("COUNT", with: "\(count)"))
    try made.connection.close()
  }

  /// Opens the store with the new model, and checks every row.
  ///
  /// Opening migrates a store that is not migrated yet.
  private static func check(at url: URL, count: Int64 = 60) throws {
    let model = try model(new)
    let opened = try opening(model, at: url).run()
    let connection = opened.connection
    try #require(
      connection.value(
        "SELECT count(*) FROM ZA2 WHERE ZX = 'a long text for row ' || Z_PK AND ZN = 5")
        == .integer(count))
    try #require(connection.value("SELECT count(*) FROM ZB") == 30)
    try #require(
      connection.value(
        "SELECT count(*) FROM Z_1BS WHERE Z_2BS = 1 + Z_1AS % 30 AND Z_FOK_2BS >= 2048")
        == .integer(count))
    try #require(connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'ZC'") == nil)
    try #require(connection.issues(.full) == [])
    try connection.close()
  }

  /// Opens a store that is not migrated with the model that wrote it, and checks every row.
  private static func checkOld(at url: URL, count: Int64 = 60) throws {
    let model = try model(old)
    let opened = try StoreOpening(url: url, layouts: .of(model)).run()
    try #require(opened.connection.value("SELECT count(*) FROM ZA") == .integer(count))
    try #require(
      opened.connection.value("SELECT count(*) FROM ZC WHERE ZGONE NOT NULL")
        == .integer(count))
    try #require(opened.connection.issues(.full) == [])
    try opened.connection.close()
  }

  @Test(arguments: [false, true])
  func `A loss of power at any write leaves the old or the new store`(deferring: Bool) async {
    let seed = SeededGenerator.forTest().seed
    await #expect(processExitsWith: .success, "PARHELION_SEED=\(seed)") {
      [seed = seed as UInt64, deferring = deferring as Bool] in
      try withTemporaryDirectory { folder in
        let url = folder.appendingPathComponent("a.sqlite")
        try #require(WatchedDisk.install())
        try Self.make(at: url)
        let start = WatchedDisk.eventCount
        let model = try model(Self.new)
        try Self.opening(model, at: url, deferring: deferring).run().connection.close()
        let end = WatchedDisk.eventCount
        WatchedDisk.remove()
        try #require(end > start + 10)
        let disk = WatchedDisk(honorsSyncs: true)
        var generator = SeededGenerator(seed: seed)
        for event in start...end {
          for survival in WatchedDisk.WriteSurvival.allCases {
            try withTemporaryDirectory { folder in
              try disk.write(to: folder.path, asOf: event, survival, using: &generator)
              let copy = folder.appendingPathComponent("a.sqlite")
              let metadata = try StoreFiles.metadata(at: copy)
              if metadata.versionHashes?["A"] != nil { try Self.checkOld(at: copy) }
              try Self.check(at: copy)
            }
          }
        }
      }
    }
  }

  @Test func `A full disk leaves the old store, and a later opening migrates it`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("a.sqlite")
      try Self.make(at: url, count: 3000)
      let model = try model(Self.new)
      let pages = try Connection(.file(url.path)).get(.pageCount)
      for spare in [0, 5, 20] {
        let limit = ["max_page_count": "\(Int(pages) + spare)"]
        let error = try #require(throws: StoreError.self) {
          _ = try Self.opening(model, at: url, pragmas: limit).run()
        }
        #expect(error.code == .outOfSpace)
        try Self.checkOld(at: url, count: 3000)
      }
      try Self.check(at: url, count: 3000)
    }
  }
}
