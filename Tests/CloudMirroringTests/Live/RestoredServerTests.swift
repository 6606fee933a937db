import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjects
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// Devices that have seen what a server lost, since it was restored from a backup.
@Suite("A server that was restored", .endsAtAll)
struct RestoredServerTests {
  @Test func `ends with devices that have what it has`() async throws {
    try await withTemporaryDirectory { folder in
      let storage = RestorableStorage()
      let cloud = try await TestCloud(chance: TestChance(), storage: storage)
      let (first, second) = (
        try await Device(cloud.signIn("ada"), in: folder), try await Device(cloud.signIn("ada"), in: folder)
      )
      for name in ["Ada", "Bob", "Cecil", "Dora"] { try await first.add("Person", ["name": name]) }
      try await first.sync()
      try await second.sync()
      try storage.backUp()
      // What is lost: a change, a deletion, and what came.
      try await first.change("Ada", ["email": "lost"])
      try await first.delete("Bob")
      try await first.add("Person", ["name": "Late"])
      for device in [first, second, first] { try await device.sync() }
      #expect(try await second.names() == ["Ada", "Cecil", "Dora", "Late"])
      // What no server has yet outlives it, also where it is a change to what is lost.
      try await first.change("Cecil", ["email": "unsent"])
      try await second.change("Ada", ["age": 7])
      try await second.add("Person", ["name": "Eve"])
      try await storage.restore()
      try await cloud.restart()
      // As many changes as are lost, by somebody who knows nothing of them.
      let third = try await Device(cloud.signIn("ada"), in: folder)
      try await third.sync()
      for name in ["Fred", "Gina", "Hugo"] {
        try await third.add("Person", ["name": name])
        try await third.sync()
      }
      for _ in 0..<2 { for device in [first, second, third] { try await device.sync() } }
      let text = try await third.text()
      #expect(try await third.names() == ["Ada", "Bob", "Cecil", "Dora", "Eve", "Fred", "Gina", "Hugo"])
      for device in [first, second] {
        #expect(try await device.text() == text)
        #expect(device.container.syncState.isUpToDate)
      }
      #expect(try await third.value("Ada", "age") == "7")
      #expect(try await third.value("Cecil", "email") == "unsent")
      // A device that begins now has the same: it is what the server has.
      let last = try await Device(cloud.signIn("ada"), in: folder)
      try await last.sync()
      #expect(try await last.text() == text)
      #expect(cloud.problems == [])
      for device in [first, second, third, last] { try device.close() }
    }
  }

  @Test func `gets a zone back that it lost as a whole`() async throws {
    try await withTemporaryDirectory { folder in
      let storage = RestorableStorage()
      let cloud = try await TestCloud(chance: TestChance(), storage: storage)
      let (first, second) = (try await cloud.signIn("ada"), try await cloud.signIn("ada"))
      try storage.backUp()
      let devices = [try await Device(first, in: folder), try await Device(second, in: folder)]
      for name in ["Ada", "Bob"] { try await devices[0].add("Person", ["name": name]) }
      for device in devices { try await device.sync() }
      try await storage.restore()
      try await cloud.restart()
      for device in devices + devices { try await device.sync() }
      for device in devices {
        #expect(try await device.names() == ["Ada", "Bob"])
        #expect(device.container.syncState.isUpToDate)
        try device.close()
      }
    }
  }

  @Test func `lets no stale record of a program save over what it does not know`() async throws {
    let storage = RestorableStorage()
    let cloud = try await TestCloud(chance: TestChance(), storage: storage)
    let database = try await cloud.signIn("ada").container.privateCloudDatabase
    let other = try await cloud.signIn("ada").container.privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    try await database.save(CKRecordZone(zoneID: zoneID))
    let recordID = CKRecord.ID(recordName: "note", zoneID: zoneID)
    try await database.save(CKRecord(recordType: "Note", recordID: recordID))
    try storage.backUp()
    let stale = try await database.record(for: recordID)
    stale["text"] = "lost"
    let seen = try await database.save(stale)
    let token = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
    try await storage.restore()
    try await cloud.restart()
    let fresh = try await other.record(for: recordID)
    fresh["text"] = "new"
    try await other.save(fresh)
    seen["text"] = "over it"
    #expect(try await code { try await database.save(seen) } == .serverRecordChanged)
    #expect(
      try await code { _ = try await database.recordZoneChanges(inZoneWith: zoneID, since: token) }
        == .changeTokenExpired)
    let whole = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
    let record = try #require(whole.modificationResultsByID[recordID]?.get().record)
    #expect(record["text"] as? String == "new")
  }

  private func code(_ body: () async throws -> Void) async throws -> CKError.Code? {
    do {
      try await body()
      return nil
    } catch let error as CKError {
      return error.code
    }
  }
}

/// A server's storage that becomes what it was.
private final class RestorableStorage: StorageEngine {
  private struct State {
    var engine = MemoryStorageEngine()
    var backup: MemoryStorageEngine?
  }

  private let state = Mutex(State())

  private var engine: MemoryStorageEngine { state.withLock(\.engine) }

  /// Keeps what there is.
  func backUp() throws {
    let backup = try MemoryStorageEngine(restoring: engine)
    state.withLock { $0.backup = backup }
  }

  /// Has what it had, from the next start of the server on.
  func restore() async throws {
    let kept = state.withLock(\.backup)
    let backup = try #require(kept)
    let restored = try MemoryStorageEngine(restoring: backup)
    state.withLock { $0.engine = restored }
  }

  var isRestored: Bool { engine.isRestored }

  func endRestoration() async throws { try await engine.endRestoration() }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}
