import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import MirroringTestSupport
import ObjectRows
import SQLiteDriver
import TestSupport
import Testing

/// Values that this version of the program cannot read, in records that are otherwise valid.
@Suite("Unreadable values", .endsAtAll)
struct UnreadValueTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
  private static let recordID = CKRecord.ID(recordName: "P", zoneID: zoneID)

  private static func model() -> NSManagedObjectModel {
    let model = AddressBook.model()
    model.entitiesByName["Person"]?.properties += [
      ModelSketch.attribute("token", .UUIDAttributeType),
      ModelSketch.attribute("mood", .transformableAttributeType),
    ]
    return model
  }

  /// Saves a record with a text that is not a UUID and bytes that are not an archive.
  private func saveStrangeRecord(_ database: CKDatabase) async throws {
    let record = CKRecord(recordType: "CD_Person", recordID: Self.recordID)
    for (field, value) in ["CD_entityName": "Person", "CD_name": "Ada", "CD_token": "none"] {
      record[field] = value
    }
    record["CD_mood"] = Data([1, 2, 3])
    try await database.save(record)
  }

  /// Sends everything again, as after unread history was deleted.
  private func sendEverything(_ device: Device) async throws {
    let ledger = device.engine.ledger
    try ledger.setState([.backfilled: .text("again 0")])
    try ledger.completeOutbox()
    #expect(try ledger.outbox.isAnythingPending)
    try await device.sync()
  }

  private func recordBlockers(_ device: Device) -> [NSPersistentCloudKitContainer.SyncBlocker] {
    device.container.syncState.stores.flatMap(\.recordBlockers)
  }

  @Test func `Unreadable values are reported and stay in the cloud until a device sets others`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await saveStrangeRecord(database)
      // This device did not cause the error, so the call does not fail.
      try await device.sync()
      #expect(try await device.names() == ["Ada"])
      #expect(recordBlockers(device).map(\.code) == [.unreadableValue])
      #expect(
        recordBlockers(device).first?.message.contains("1 more") == true
          && !device.container.syncState.isUpToDate)
      try await sendEverything(device)
      var record = try await database.record(for: Self.recordID)
      #expect(
        record["CD_token"] as String? == "none" && record["CD_mood"] as Data? == Data([1, 2, 3]))
      let token = UUID()
      try await device.change("Ada", ["token": token])
      try await device.sync()
      try await sendEverything(device)
      record = try await database.record(for: Self.recordID)
      #expect(
        record["CD_token"] as String? == token.uuidString
          && record["CD_mood"] as Data? == Data([1, 2, 3]))
      #expect(recordBlockers(device).first?.message.contains("Person.mood of the record P") == true)
      try await device.save { try $0.person("Ada").setValue(NSString("happy"), forKey: "mood") }
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await other.sync()
      #expect(try await other.text() == device.text())
      #expect(
        try await other.value("Ada", "mood") == "happy" && other.container.syncState.isUpToDate)
      for device in [device, other] { try device.close() }
    }
  }

  @Test func `Unreadable values survive another device's change and a recreated zone`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await saveStrangeRecord(database)
      try await device.sync()
      try await device.change("Ada", ["age": 36])
      var record = try await database.record(for: Self.recordID)
      record["CD_email"] = "ada@example.com"
      try await database.save(record)
      try await sendEverything(device)
      record = try await database.record(for: Self.recordID)
      #expect(
        record["CD_token"] as String? == "none" && record["CD_mood"] as Data? == Data([1, 2, 3]))
      #expect(record["CD_email"] as String? == "ada@example.com" && record["CD_age"] as Int? == 36)
      try await database.deleteRecordZone(withID: Self.zoneID)
      try await database.save(CKRecordZone(zoneID: Self.zoneID))
      try await device.sync()
      record = try await database.record(for: Self.recordID)
      #expect(
        record["CD_entityName"] as String? == "Person" && record["CD_name"] as String? == "Ada")
      // Once they can be read, they are not reported any more.
      record["CD_token"] = UUID().uuidString
      record["CD_mood"] = try NSKeyedArchiver.archivedData(
        withRootObject: NSString("calm"), requiringSecureCoding: true)
      try await database.save(record)
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.value("Ada", "mood") == "calm" && recordBlockers(device).isEmpty)
      try device.close()
    }
  }

  @Test func `An unreadable value does not stop the store from reporting that all else arrived`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await device.sync()
      let before = device.container.syncState.stores.first?.lastImportDate
      try await cloud.advance(by: .seconds(60))
      try await saveStrangeRecord(try await cloud.signIn("ada").container.privateCloudDatabase)
      try await device.sync()
      let state = device.container.syncState
      #expect(before?.addingTimeInterval(60) == state.stores.first?.lastImportDate)
      #expect(recordBlockers(device).map(\.code) == [.unreadableValue] && !state.isUpToDate)
      try device.close()
    }
  }

  @Test(arguments: ["mood", "token"])
  func `Unreadable values are reported although the model lost the first such property`(
    gone: String
  )
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await former.sync()
      try await saveStrangeRecord(try await cloud.signIn("ada").container.privateCloudDatabase)
      try await former.sync()
      try former.close()
      let model = Self.model()
      model.entitiesByName["Person"]?.properties.removeAll { $0.name == gone }
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: model, file: former.file)
      try await device.sync()
      let left = gone == "mood" ? "token" : "mood"
      #expect(recordBlockers(device).map(\.code) == [.unreadableValue])
      #expect(
        recordBlockers(device).first?.message.contains("Person.\(left) of the record P") == true)
      #expect(recordBlockers(device).first?.message.contains("more") == false)
      try device.close()
    }
  }

  private static func lateModel() -> NSManagedObjectModel {
    let model = model()
    model.entitiesByName["Person"]?.attributesByName["mood"]?.valueTransformerName =
      LateMoodTransformer.name.rawValue
    return model
  }

  @Test func `Only the unreadable values are fetched at each start`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await former.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await saveStrangeRecord(database)
      try await former.sync()
      try await former.change(
        "Ada", ["photo": Data(repeating: 7, count: MappingLimits.inlineBytes + 1)])
      try await former.sync()
      try former.close()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(
        signedIn, in: folder, model: Self.model(), file: former.file, through: transport)
      try await device.sync()
      #expect(transport.downloadCount == 0)
      #expect(recordBlockers(device).first?.message.contains("1 more") == true)
      // The server's other values are still known, so another device's change is merged.
      try await device.change("Ada", ["age": 36])
      let record = try await database.record(for: Self.recordID)
      record["CD_email"] = "ada@example.com"
      try await database.save(record)
      try await device.sync()
      #expect(try await device.value("Ada", "email") == "ada@example.com")
      #expect(try await database.record(for: Self.recordID)["CD_age"] as Int? == 36)
      #expect(try device.container.conflicts().isEmpty)
      try device.close()
    }
  }

  @Test func `Unreadable values are read as soon as the program supports them`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await Device(cloud.signIn("ada"), in: folder, model: Self.lateModel())
      try await former.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await saveStrangeRecord(database)
      try await former.sync()
      #expect(recordBlockers(former).first?.message.contains("1 more") == true)
      try former.close()
      ValueTransformer.setValueTransformer(LateMoodTransformer(), forName: LateMoodTransformer.name)
      defer { ValueTransformer.setValueTransformer(nil, forName: LateMoodTransformer.name) }
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.lateModel(), file: former.file)
      try await device.sync()
      #expect(try await device.value("Ada", "mood") == "1 2 3")
      #expect(recordBlockers(device).first?.message.contains("Person.token") == true)
      #expect(recordBlockers(device).first?.message.contains("more") == false)
      // The decoded value is not sent.
      #expect(device.container.syncState.pendingChangeCount == 0)
      try device.close()
    }
  }
}

/// Makes texts of bytes once the program has registered it.
private final class LateMoodTransformer: ValueTransformer {
  static let name = NSValueTransformerName("MirrorTestLateMoods")

  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.split(separator: " ").compactMap { UInt8($0) }) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { $0.map { "\($0)" }.joined(separator: " ") }
  }
}
