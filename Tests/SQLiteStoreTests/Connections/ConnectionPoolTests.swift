import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite struct `Connections of a store` {
  @Test func `Readers read while another process writes and see its commits`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Tag", 1, ["label": "a"]).saveAll()
      let outsider = try sample.outsider()
      try outsider.begin(.exclusive)
      try outsider.run("UPDATE ZTAG SET ZLABEL = 'b'")
      #expect(try sample.rows("Tag", 1) == ["Tag 1 v1 label=a"])
      try outsider.commit()
      #expect(try sample.rows("Tag", 1) == ["Tag 1 v1 label=b"])
    }
  }

  @Test func `A reader reads while this process writes`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Tag", 1, ["label": "a"]).saveAll()
      let pool = try pool(sample)
      #expect(pool.readsBesideWriter)
      try pool.write { writer in
        try writer.transaction(.exclusive) {
          try writer.run("UPDATE ZTAG SET ZLABEL = 'b'")
          try pool.read { reader in
            #expect(reader !== writer)
            #expect(try reader.value("SELECT ZLABEL FROM ZTAG") == "a")
            try pool.read { other in #expect(other !== reader) }
          }
        }
      }
      let label = try pool.read { reader in try reader.value("SELECT ZLABEL FROM ZTAG") }
      #expect(label == "b")
    }
  }

  @Test func `The options limit the number of connections`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      var settings = try sample.opened().connectionSettings
      for most in [1, 2, 3] {
        settings.maximumConnections = most
        let opened = try sample.opened()
        let makeReader = try #require(opened.makeReader)
        let made = Mutex(0)
        let pool = try ConnectionPool(
          opened.connection, settings: settings,
          makeReader: { () throws(StoreError) in
            made.withLock { $0 += 1 }
            return try makeReader()
          })
        #expect(pool.readsBesideWriter == (most > 1))
        try nest(pool, most) { connections in
          #expect(Set(connections.map(ObjectIdentifier.init)).count == most)
        }
        try nest(pool, most) { _ in }
        #expect(made.withLock { $0 } == most - 1)
        try pool.close()
      }
    }
  }

  /// Nests reads, up to the maximum number of connections.
  private func nest(
    _ pool: ConnectionPool, _ depth: Int, _ taken: [Connection] = [], _ body: ([Connection]) -> Void
  ) throws {
    guard depth > 0 else { return body(taken) }
    try pool.read { try nest(pool, depth - 1, taken + [$0], body) }
  }

  private func pool(_ sample: SampleStore) throws -> ConnectionPool {
    try ConnectionPool(sample.opened(), logging: StatementLogging())
  }

  @Test(arguments: [JournalMode.delete, .truncate, .persist])
  func `Without write-ahead logging there is one connection`(journal: JournalMode) throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder, journal: journal)
      let pool = try pool(sample)
      #expect(!pool.readsBesideWriter)
      try Changes(sample).insert("Tag", 1, ["label": "a"]).saveAll()
      #expect(try sample.rows("Tag", 1) == ["Tag 1 v1 label=a"])
    }
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `A connection gives up after the timeout when another process holds the lock`(
    journal: JournalMode
  ) throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder, journal: journal)
      let outsider = try sample.outsider()
      try outsider.begin(.exclusive)
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample).insert("Tag", 1).save()
      }
      #expect(error.code == .timeout)
      #expect(error.code.cocoaCode == 134090)
      #expect(throws: StoreError.self) {
        try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true)
      }
      try outsider.rollback()
      try Changes(sample).insert("Tag", 1).saveAll()
    }
  }

  @Test func `Many threads read and write safely`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sample = try SampleStore(SampleModels.posts(), in: folder, timeout: .seconds(60))
    let (store, post) = (sample.store, sample["Post"])
    let threads = try await withThrowingTaskGroup(of: Int.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            let keys = try store.reserveKeys([(post, 2)], forSave: true)[0]
            let page = RowPage(layout: post, capacity: 2)
            var changes = StoreChanges(transaction: .sample)
            for key in keys {
              let row = page.appendRow(key: key, version: 0)
              changes.inserted.append(
                RowChange(layout: post, row: row, changed: OrdinalSet(), expectedVersion: nil))
            }
            guard case .saved = try store.save(changes) else { return -1 }
            let found = try store.rows(withKeys: Array(keys), layout: post).rows.count
            guard found == 2 else { return -2 }
          }
          return thread
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(threads.sorted() == [0, 1, 2, 3])
    #expect(try store.rows(withKeys: (1...300).map { Int64($0) }, layout: post).rows.count == 200)
  }

  @Test func `A snapshot can be read while others write`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder, keepsHistory: true)
      try Changes(sample).insert("Tag", 1, ["label": "a"]).saveAll()
      let snapshot = try #require(try sample.store.snapshot())
      try Changes(sample).update("Tag", 1, version: 1, ["label": "b"]).insert("Tag", 2).saveAll()
      #expect(
        sample.describe(try snapshot.rows(withKeys: [1, 2], layout: sample["Tag"])) == [
          "Tag 1 v1 label=a"
        ])
      #expect(try (snapshot as? any HistoryStore)?.latestHistoryNumber() == 1)
      #expect(try sample.rows("Tag", 1, 2) == ["Tag 1 v2 label=b", "Tag 2 v1"])
      let error = try #require(throws: StoreError.self) {
        _ = try snapshot.reserveKeys([(sample["Tag"], 1)], forSave: true)
      }
      #expect(error.code == .readOnly)
      try snapshot.close()
      #expect(throws: StoreError.self) { try snapshot.rows(withKeys: [1], layout: sample["Tag"]) }
      #expect(try sample.outsider().checkpoint(.truncate).isComplete)
    }
  }

  @Test func `Without write-ahead logging there are no snapshots`() throws {
    try withTemporaryDirectory { folder in
      let stores = [
        try SampleStore(SampleModels.library(), in: folder, journal: .delete).store,
        try SampleStore(SampleModels.library()).store,
      ]
      #expect(try stores.allSatisfy { try $0.snapshot() == nil })
    }
  }

  @Test func `Closed connections refuse everything`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      _ = try sample.rows("Tag", 1)
      try sample.store.close()
      try sample.store.close()
      #expect(throws: StoreError.self) { try sample.rows("Tag", 1) }
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample).insert("Tag", 1).save()
      }
      #expect(error.message.contains("closed"))
      // Closing the last connection removes the log.
      let path = try #require(sample.path)
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
  }

  @Test func `Connections of a read-only store refuse to write`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder)
      try Changes(sample).insert("Tag", 1).saveAll()
      let store = try SQLiteRowStore(sample.opened(readOnly: true))
      #expect(try store.rows(withKeys: [1], layout: sample["Tag"]).rows.count == 1)
      let error = try #require(throws: StoreError.self) {
        try store.reserveKeys([(sample["Tag"], 1)], forSave: true)
      }
      #expect(error.code == .readOnly)
    }
  }
}
