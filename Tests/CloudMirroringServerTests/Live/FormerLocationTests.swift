import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import MirrorModel
import TestSupport
import Testing

/// Records of a program whose model places long values differently.
@Suite("Former locations of long values", .endsAtAll)
struct FormerLocationTests {
  private static func model() -> NSManagedObjectModel {
    let model = AddressBook.model()
    model.entitiesByName["Person"]?.attributesByName["photo"]?.allowsExternalBinaryDataStorage =
      true
    return model
  }

  /// Saves inline what this model sends as an asset.
  private func saveFormerRecord(_ database: CKDatabase) async throws {
    let recordID = CKRecord.ID(recordName: "P", zoneID: CKRecordZone.ID(zoneName: MirrorNames.zone))
    let record = CKRecord(recordType: "CD_Person", recordID: recordID)
    for (field, value) in ["CD_entityName": "Person", "CD_name": "Ada"] { record[field] = value }
    record["CD_photo"] = Data(repeating: 7, count: 600 * 1_024)
    try await database.save(record)
  }

  @Test
  func `An inline value of another model moves to an asset when others need its space`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await device.sync()
      try await saveFormerRecord(try await cloud.signIn("ada").container.privateCloudDatabase)
      try await device.sync()
      let text = String(repeating: "x", count: 500 * 1_024)
      try await device.change("Ada", ["email": text])
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob"])
      #expect(try await other.value("Ada", "email") == text)
      #expect(try await other.text() == device.text())
      for one in [device, other] { try one.close() }
    }
  }

  /// Other programs' fields fill the record, so moving the long values does not help.
  @Test func `A record that stays too large sends its files once, not with every change`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let uploads = Requests()
      transport.watch { if $0.address.contains("assets/upload") { _ = uploads.next() } }
      let device = try await Device(signedIn, in: folder, model: Self.model(), through: transport)
      try await device.add(
        "Person", ["name": "Ada", "photo": Data(repeating: 7, count: 600 * 1_024)])
      try await device.sync()
      try await fill(
        try await cloud.signIn("ada").container.privateCloudDatabase, withBytes: 700 * 1_024)
      try await device.change("Ada", ["email": String(repeating: "x", count: 500 * 1_024)])
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      let sent = uploads.next()
      for age in 1...2 {
        try await device.change("Ada", ["age": age])
        await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
          try await device.sync()
        }
      }
      #expect(uploads.next() == sent + 1)
      // Once there is space, the record is sent.
      try await device.change("Ada", ["email": "ada@example.com"])
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }

  /// Gives every record of the zone a long value outside the model.
  private func fill(_ database: CKDatabase, withBytes count: Int) async throws {
    let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
    let found = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
    for result in found.modificationResultsByID.values {
      let record = try result.get().record
      record["X_note"] = Data(count: count)
      try await database.save(record)
    }
  }
}
