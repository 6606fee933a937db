import CloudKitClient
import Synchronization
import Testing
import WatchedClouds

/// Another device has saved the same record with encrypted values that this one cannot open.
@Suite struct `A conflict on a device without keys` {
  @Test func `Keys are requested once, however many values are encrypted`() async throws {
    let cloud = try await WatchedCloud()
    let (first, second) = (cloud.container("anna"), cloud.container("anna"))
    let zone = CKRecordZone(zoneName: "Secrets")
    try await first.privateCloudDatabase.save(zone)
    let names = (0..<3).map { CKRecord.ID(recordName: "r\($0)", zoneID: zone.zoneID) }
    for name in names {
      let record = CKRecord(recordType: "Contact", recordID: name)
      record["name"] = "Anna"
      for number in 0..<5 { record.encryptedValues["secret\(number)"] = "555" }
      try await first.privateCloudDatabase.save(record)
    }
    let copies = names.map { CKRecord(recordType: "Contact", recordID: $0) }
    for copy in copies { copy["name"] = "Bob" }
    cloud.asked.withLock { $0 = [] }
    let results = try await second.privateCloudDatabase.modificationResults(saving: copies)
      .saveResults
    for name in names {
      let error = #expect(throws: CKError.self) { _ = try results[name]?.get() }
      #expect(error?.code == .serverRecordChanged && error?.serverRecord?["name"] == "Anna")
      #expect(error?.serverRecord?.encryptedValues["secret0"] as String? == nil)
    }
    #expect(cloud.asked.withLock { $0.count { $0 == "keyBags/lookup" } } == 1)
  }
}
