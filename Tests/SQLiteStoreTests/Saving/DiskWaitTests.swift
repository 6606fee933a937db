import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing
import WatchedDisks

/// Counts a store's syncs, and checks its writes after a loss of power.
@Suite struct `Waiting for the disk` {
  @Test func `A save and the reservation of its keys wait for one sync`() async {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore { sample in
        try save(sample, 2)
        let before = WatchedDisk.eventCount
        try save(sample, 10)
        try #require(WatchedDisk.waits(since: before) == 10)
      }
    }
  }

  @Test func `Reserving a key without a save waits`() async {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore { sample in
        try save(sample, 2)
        let before = WatchedDisk.eventCount
        _ = try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: false)
        try #require(WatchedDisk.waits(since: before) == 1)
      }
    }
  }

  @Test
  func `One sync covers all pending writes, and none is needed after a save`()
    async
  {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore { sample in
        try save(sample, 2)
        // The first sync of a new reader's log also syncs the folder.
        try note(sample)
        try await sample.store.pool.settle()
        let before = WatchedDisk.eventCount
        try note(sample)
        try #require(WatchedDisk.waits(since: before) == 0)
        try await sample.store.pool.settle()
        try #require(WatchedDisk.waits(since: before) == 1)
        try note(sample)
        try save(sample, 1)
        try await sample.store.pool.settle()
        try #require(WatchedDisk.waits(since: before) == 2)
        try await sample.store.pool.settle()
        try #require(WatchedDisk.waits(since: before) == 2)
      }
    }
  }

  @Test func `A save that its companion repeats does not wait`() async {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore { sample in
        try save(sample, 2)
        sample.store.companion = RepeatingCompanion()
        let before = WatchedDisk.eventCount
        try save(sample, 3)
        try #require(WatchedDisk.waits(since: before) == 0)
        try await sample.store.pool.settle()
        try #require(WatchedDisk.waits(since: before) == 1)
        sample.store.companion = nil
        try save(sample, 1)
        try #require(WatchedDisk.waits(since: before) == 2)
      }
    }
  }

  @Test func `A repeated save syncs the log before it removes a value's file`() async {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore(SampleModels.types()) { sample in
        let large = BinaryValue(Data(repeating: 7, count: Limits.externalDataBytes))
        try Changes(sample).insert("Everything", 1, ["photo": large]).saveAll()
        sample.store.companion = RepeatingCompanion()
        let before = WatchedDisk.eventCount
        try Changes(sample).update("Everything", 1, version: 1, ["string": "x"]).saveAll()
        try #require(WatchedDisk.waits(since: before) == 0)
        try Changes(sample).delete("Everything", 1, version: 2).saveAll()
        try #require(WatchedDisk.waits(since: before) == 1)
      }
    }
  }

  @Test func `If saves do not wait, the log is synced before a value's file is removed`() async {
    await #expect(processExitsWith: .success) {
      try await withWatchedStore(SampleModels.types()) { sample in
        let large = BinaryValue(Data(repeating: 7, count: Limits.externalDataBytes))
        try Changes(sample).insert("Everything", 1, ["photo": large]).saveAll()
        _ = try sample.store.pool.write { try $0.set(.synchronous, to: .normal) }
        let before = WatchedDisk.eventCount
        try Changes(sample).update("Everything", 1, version: 1, ["string": "x"]).saveAll()
        try #require(WatchedDisk.waits(since: before) == 0)
        try Changes(sample).delete("Everything", 1, version: 2).saveAll()
        try #require(WatchedDisk.waits(since: before) == 1)
      }
    }
  }

  @Test
  func `After a loss of power no key is reused, and synced writes are present`()
    async
  {
    let seed = SeededGenerator.forTest().seed
    await #expect(processExitsWith: .success, "PARHELION_SEED=\(seed)") { [seed = seed as UInt64] in
      var begun = 0
      try await withWatchedStore { sample in
        begun = WatchedDisk.eventCount
        for number in 0..<30 {
          try save(sample, 1)
          WatchedDisk.note(2 * number)
          try note(sample)
          try await sample.store.pool.settle()
          WatchedDisk.note(2 * number + 1)
          if number % 3 == 0 {
            _ = try sample.store.reserveKeys([(sample["Tag"], 2)], forSave: true)
          }
        }
      }
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<20 {
        let end = Int.random(in: begun...WatchedDisk.eventCount, using: &generator)
        for survival in WatchedDisk.WriteSurvival.allCases {
          let losses = try losses(asOf: end, survival, using: &generator)
          try #require(losses == [], "before event \(end), \(survival), \(generator): \(losses)")
        }
      }
    }
  }
}

/// Declares that all lost saves are repeated.
private final class RepeatingCompanion: SaveCompanion {
  func noteSave(
    _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
    on connection: Connection
  ) {}
  func noteBatch(of store: SQLiteRowStore, on connection: Connection) {}
  func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) {}
  func repeats(_ changes: StoreChanges) -> Bool { true }
}

private func save(_ sample: SampleStore, _ count: Int) throws {
  for _ in 0..<count {
    let key = try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true)[0][0]
    try Changes(sample).insert("Tag", key).saveAll()
  }
}

/// Writes a row without waiting for a sync.
private func note(_ sample: SampleStore) throws {
  try sample.store.pool.writeUnawaited { try $0.execute("INSERT INTO DIARY DEFAULT VALUES") }
}

/// Watches a store's files from its creation.
private func withWatchedStore(
  _ model: NSManagedObjectModel = SampleModels.library(),
  _ body: (SampleStore) async throws -> Void
) async throws {
  try await withTemporaryDirectory { folder in
    try #require(WatchedDisk.install())
    let sample = try SampleStore(model, in: folder, keepsHistory: true)
    try sample.store.pool.write { try $0.execute("CREATE TABLE DIARY(number INTEGER PRIMARY KEY)") }
    try await body(sample)
    WatchedDisk.remove()
    try sample.store.close()
  }
}

/// The missing or reused keys in a store that is opened after a loss of power.
private func losses(
  asOf end: Int, _ survival: WatchedDisk.WriteSurvival, using generator: inout SeededGenerator
) throws
  -> [String]
{
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "losses-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try WatchedDisk(honorsSyncs: true).write(to: folder.path, asOf: end, survival, using: &generator)
  let noted = WatchedDisk.notes(before: end)
  let sample = try SampleStore(SampleModels.library(), in: folder, keepsHistory: true)
  defer { try? sample.store.close() }
  let connection = try sample.outsider()
  let key = try sample.store.reserveKeys([(sample["Tag"], 1)], forSave: true)[0][0]
  var losses = try connection.rows("SELECT Z_PK FROM ZTAG WHERE Z_PK >= ?", [.integer(key)])
    .map { "\($0) is reused" }
  if try connection.rows("SELECT 1 FROM ZTAG").count < noted.count(where: { $0 % 2 == 0 }) {
    losses.append("A row is missing.")
  }
  let settled = noted.count { $0 % 2 == 1 }
  if settled > 0, try connection.rows("SELECT 1 FROM DIARY").count < settled {
    losses.append("A settled write is missing.")
  }
  return losses
}
