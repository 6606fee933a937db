import CloudKitClient
import CloudRecords
import Foundation

/// Records as the server returned them.
enum ServerRecords {
  /// A record with only its system fields, as the ledger keeps them.
  ///
  /// - Parameter assets: Fields with assets that were not fetched.
  static func empty(type: String, name: String, assets: [String] = []) throws -> CKRecord {
    let stamp = RecordStamp(
      time: Timestamp(milliseconds: 1_767_225_600_000), userRecordName: "_ada",
      deviceIdentifier: "phone")
    var record = CloudRecord(
      identifier: RecordIdentifier(
        recordName: name, zone: RecordZoneIdentifier(zoneName: "zone", ownerName: "_ada")),
      recordType: type, changeTag: "1", fields: RecordFields(), created: stamp, modified: stamp)
    for asset in assets {
      record.fields[asset] = Field(.asset(AssetValue(fileChecksum: asset, size: 1)))
    }
    return RecordCoding(currentUser: "_ada").record(record)
  }

  /// A record with the same fields in their state on the server.
  static func copy(of record: CKRecord) throws -> CKRecord {
    let copy = try empty(type: record.recordType, name: record.recordID.recordName)
    for key in record.allKeys() { copy[key] = record[key] as (any CKRecordValueProtocol)? }
    for key in record.encryptedValues.allKeys() {
      copy.encryptedValues[key] = record.encryptedValues[key] as (any CKRecordValueProtocol)?
    }
    return copy
  }
}
