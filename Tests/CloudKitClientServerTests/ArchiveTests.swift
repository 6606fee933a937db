import ClientTestSupport
import CloudKitClient
import CloudRecords
import Foundation
import GeographicLocations
import Testing
import WatchedClouds

@Suite struct ArchiveTests {
  @Test func `A record survives archiving`() throws {
    let record = full()
    let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
    #expect(
      read.recordType == "Note" && read.recordID == record.recordID && read.parent == record.parent)
    #expect(read.allKeys() == record.allKeys() && read.changedKeys() == record.changedKeys())
    for key in ["text", "integer", "double", "date", "data", "texts"] {
      #expect(
        (read.object(forKey: key) as? NSObject) == (record.object(forKey: key) as? NSObject),
        "\(key)")
    }
    #expect(read["double"] as? Double == 3)
    #expect((read["link"] as? CKRecord.Reference) == (record["link"] as? CKRecord.Reference))
    #expect((read["file"] as? CKAsset)?.fileURL?.path == "/tmp/a")
    #expect((read["place"] as? CLLocation)?.coordinate.latitude == 1)
    #expect(read.encryptedValues["secret"] == "Pin")
  }

  @Test func `A location archived under its former module is read`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("CoreLocation.CLLocation", for: CLLocation.self)
    archiver.encode(full(), forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKRecord.self, from: archiver.encodedData)
    #expect((read?["place"] as? CLLocation)?.coordinate.longitude == 2)
  }

  @Test func `System fields are everything except the values`() throws {
    let record = RecordCoding(currentUser: "_me").record(CloudRecord.sample)
    record["title"] = "Bread"
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.encode("beside" as NSString, forKey: "Application")
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    let read = try #require(CKRecord(coder: unarchiver))
    #expect(read.recordID == record.recordID && read.recordChangeTag == "1e")
    #expect(
      read.creationDate == record.creationDate && read.modificationDate == record.modificationDate)
    #expect(read.creatorUserRecordID == record.creatorUserRecordID && read.share == record.share)
    #expect(
      read.lastModifiedUserRecordID?.recordName == "_you"
        && read.parent?.recordID.recordName == "list")
    #expect(read.allKeys().isEmpty && read.changedKeys().isEmpty)
  }

  private func systemFields(of record: CKRecord) throws -> CKRecord {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    return try #require(CKRecord(coder: unarchiver))
  }

  @Test func `System fields keep a parent that was set but not saved yet`() async throws {
    let cloud = try await WatchedCloud()
    let database = cloud.container("anna").privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
    let (album, photo) = (
      CKRecord(recordType: "Note", in: zone), CKRecord(recordType: "Note", in: zone)
    )
    _ = try await database.modifyRecords(saving: [album, photo], deleting: [])
    photo.setParent(album)
    let again = try systemFields(of: photo)
    #expect(again.parent?.recordID == album.recordID)
    again["title"] = "Photo"
    try await database.save(again)
    #expect(again.parent?.recordID == album.recordID)
    #expect(try await database.record(for: photo.recordID).parent?.recordID == album.recordID)
    // A saved value is not sent again, because another device may have moved the record meanwhile.
    let kept = try systemFields(of: again)
    let theirs = try await database.record(for: photo.recordID)
    theirs.setParent(nil as CKRecord?)
    try await database.save(theirs)
    kept["title"] = "Photo of ours"
    _ = try await database.modifyRecords(saving: [kept], deleting: [], savePolicy: .changedKeys)
    #expect(try await database.record(for: photo.recordID).parent == nil)
  }

  @Test func `Names, zones, references and assets survive archiving`() throws {
    let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: "_you")
    let recordID = CKRecord.ID(recordName: "n1", zoneID: zoneID)
    #expect(try archived(zoneID) == zoneID)
    #expect(try archived(recordID) == recordID)
    #expect(try archived(CKRecordZone(zoneID: zoneID)).zoneID == zoneID)
    let participants = CKRecordZone(known: zoneID, in: .shared, shareName: "cloudkit.zoneshare")
    let read = try archived(participants)
    #expect(
      read.capabilities == [.fetchChanges, .atomic] && read.share == participants.share
        && read.share != nil)
    let reference = CKRecord.Reference(recordID: recordID, action: .deleteSelf)
    #expect(try archived(reference) == reference)
    #expect(
      try archived(CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))).fileURL?.path == "/tmp/a")
  }

  @Test func `An archive with an invalid record type is not a record`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode("with spaces" as NSString, forKey: "RecordType")
    archiver.encode(CKRecord.ID(recordName: "n1"), forKey: "RecordID")
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    #expect(CKRecord(coder: unarchiver) == nil)
  }

  @Test(arguments: ["text", "integer", "double", "date", "data", "link", "place", "file", "texts"])
  func `A record with a single value of any kind can be archived`(_ key: String) throws {
    let record = CKRecord(recordType: "Note")
    record[key] = full().object(forKey: key)
    #expect(try archived(record).allKeys() == [key])
  }

  private func archived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  private func full() -> CKRecord {
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "n1", zoneID: zoneID))
    record["text"] = "Milk"
    record["integer"] = 7
    record["double"] = 3.0
    record["date"] = Date(timeIntervalSince1970: 1_000.125)
    record["data"] = Data([1, 2])
    record["link"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "n2", zoneID: zoneID), action: .deleteSelf)
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))
    record["texts"] = ["a", "b"]
    record["gone"] = nil as String?
    record.encryptedValues["secret"] = "Pin"
    record.setParent(CKRecord.ID(recordName: "list", zoneID: zoneID))
    return record
  }
}

extension CKRecord {
  /// A new record in a zone.
  fileprivate convenience init(recordType: RecordType, in zone: CKRecordZone) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zone.zoneID))
  }
}
