package import CloudKitClient
package import CloudRecords

/// Conversions between the ledger's values and CloudKit's objects.
///
/// The owner is written as the API writes it: `__defaultOwner__` stands for the signed-in user.
extension RecordZoneIdentifier {
  package init(_ zoneID: CKRecordZone.ID) {
    self.init(zoneName: zoneID.zoneName, ownerName: zoneID.ownerName)
  }

  package var zoneID: CKRecordZone.ID { CKRecordZone.ID(received: zoneName, ownerName: ownerName) }
}

extension RecordIdentifier {
  package init(_ recordID: CKRecord.ID) {
    self.init(recordName: recordID.recordName, zone: RecordZoneIdentifier(recordID.zoneID))
  }

  package var recordID: CKRecord.ID { CKRecord.ID(received: recordName, zoneID: zone.zoneID) }
}
