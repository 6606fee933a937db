import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Full listings.
@Suite("Reconciliation", .endsAtAll)
struct ReconciliationTests {
  /// The cursor, the complete listing and the zone's identity are known together or not at all.
  @Test func `A cursor is dropped as a whole, however the program ends`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let (ledger, zone) = (device.engine.ledger, device.engine.mirror.homeZone)
      let place = try ledger.zoneToken(zone)
      #expect(place?.isEmpty == false)
      try ledger.store.pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE INSERT ON PHM_STATE WHEN NEW.name = 'formerToken' BEGIN "
            + "SELECT RAISE(ABORT, 'It ends here.'); END")
      }
      #expect(await device.engine.run(.reset(.tokens)).failure != nil)
      #expect(try ledger.zoneToken(zone) == place)
      #expect(try ledger.state(LedgerStateKey("reconciliation")) == nil)
      try ledger.store.pool.write { try $0.execute("DROP TRIGGER STOP") }
      #expect(await device.engine.run(.reset(.tokens)).failure == nil)
      #expect(try ledger.zoneToken(zone) == nil)
      #expect(try ledger.state(LedgerStateKey("reconciliation")) == .integer(1))
      #expect(
        try ledger.state(LedgerStateKey("formerToken"))
          == place.map { .text(String(decoding: $0, as: UTF8.self)) })
      try await device.sync()
      #expect(try await device.names() == ["Ada"])
      try device.close()
    }
  }

  /// A page whose save failed does not count as listed.
  @Test func `A record of a page that was not saved is removed if the next listing lacks it`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (one, other) = (
        try await Device(cloud.signIn("ada"), in: folder),
        try await Device(cloud.signIn("ada"), in: folder)
      )
      for name in ["Ada", "Eve"] { try await one.add("Person", ["name": name]) }
      try await one.sync()
      try await other.sync()
      #expect(await other.engine.run(.reset(.tokens)).failure == nil)
      let pool = other.engine.ledger.store.pool
      try pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE UPDATE OF token ON PHM_ZONE BEGIN "
            + "SELECT RAISE(ABORT, 'The disk is full.'); END")
      }
      #expect(await other.engine.run(.importing).failure?.kind == .store)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      try await one.delete("Eve")
      try await one.sync()
      try await other.sync()
      #expect(try await other.names() == ["Ada"])
      try one.close()
      try other.close()
    }
  }

  @Test func `An unsent edit gives way to a deletion that only a listing shows`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      for name in ["Ada", "Eve"] { try await one.add("Person", ["name": name]) }
      try await one.sync()
      try await other.sync()
      try await one.change("Eve", ["age": 7])
      try await other.delete("Eve")
      try await other.sync()
      try await cloud.advance(by: .seconds(200 * 86_400))
      for device in [one, other] {
        try await device.sync()
        #expect(try await device.names() == ["Ada"])
      }
      let lost = try #require(try one.container.conflicts().first)
      #expect(lost.property == nil && lost.overwrittenValues["age"] as? Int == 7)
      try one.close()
      try other.close()
    }
  }

  @Test func `Only names that were listed count as listed, whatever they look like`() {
    let sweep = Reconciliation(of: Self.zone)
    let names = [
      "P", "9C0F6C5C-1B6E-4F40-9E2C-0C4B1A7B6D01", "9c0f6c5c-1b6e-4f40-9e2c-0c4b1a7b6d02",
    ]
    sweep.begin()
    sweep.note(ImportPage(records: names.map(Self.record)))
    for name in names {
      #expect(sweep.hasSeen(RecordIdentifier(recordName: name, zone: Self.zone)))
    }
    for name in [
      "Q", "9C0F6C5C-1B6E-4F40-9E2C-0C4B1A7B6D02", "9c0f6c5c-1b6e-4f40-9e2c-0c4b1a7b6d01",
    ] {
      #expect(!sweep.hasSeen(RecordIdentifier(recordName: name, zone: Self.zone)))
    }
  }

  private static let zone = RecordZoneIdentifier(
    zoneName: MirrorNames.zone, ownerName: RecordZoneIdentifier.currentOwnerName)

  private static func record(_ name: String) -> CKRecord {
    CKRecord(
      recordType: "CD_Person",
      recordID: CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: MirrorNames.zone)))
  }

  /// Measures its own process, in which no other test uses memory.
  @Test(.measuresMemory) func `The names of a hundred thousand records take at most 96 bytes each`()
    async
  {
    await #expect(processExitsWith: .success) {
      let zone = RecordZoneIdentifier(
        zoneName: MirrorNames.zone, ownerName: RecordZoneIdentifier.currentOwnerName)
      let sweep = Reconciliation(of: zone)
      func note(_ pages: Int) {
        for _ in 0..<pages {
          let records = (0..<200).map { _ in
            CKRecord(
              recordType: "CD_Person",
              recordID: CKRecord.ID(
                recordName: UUID().uuidString, zoneID: CKRecordZone.ID(zoneName: MirrorNames.zone)))
          }
          sweep.note(ImportPage(records: records))
        }
      }
      // A page's temporary memory has been allocated before.
      note(50)
      sweep.begin()
      let before = try residentBytes()
      note(500)
      let bytes = (try residentBytes() - before) / 100_000
      #expect(bytes <= 96, "each name costs \(bytes) bytes")
      sweep.end()
    }
  }
}
