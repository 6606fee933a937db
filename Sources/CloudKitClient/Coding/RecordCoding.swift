package import CloudRecords
import Foundation
import GeographicLocations

/// Converts between the public classes and their form on the wire.
///
/// On the wire, zone owners have user record names. The API calls the current user
/// `CKCurrentUserDefaultName`.
package struct RecordCoding: Sendable {
  /// The user record name of the current user; nil if no user is signed in, or if it is not known
  /// yet.
  package let currentUser: String?
  /// The prefix of share URLs; nil if the server has none.
  package let shareAddress: String?
  /// The database that the records belong to; nil for none.
  package var scope: DatabaseScope?

  package init(currentUser: String?, shareAddress: String? = nil) {
    self.currentUser = currentUser
    self.shareAddress = shareAddress
  }

  // MARK: Names

  package func identifier(_ zoneID: CKRecordZone.ID) -> RecordZoneIdentifier {
    let isOwn = zoneID.ownerName == CKCurrentUserDefaultName
    return RecordZoneIdentifier(
      zoneName: zoneID.zoneName,
      ownerName: isOwn ? currentUser ?? RecordZoneIdentifier.currentOwnerName : zoneID.ownerName)
  }

  package func zoneID(_ identifier: RecordZoneIdentifier) -> CKRecordZone.ID {
    let isOwn = identifier.ownerName == currentUser
    return CKRecordZone.ID(
      received: identifier.zoneName,
      ownerName: isOwn ? CKCurrentUserDefaultName : identifier.ownerName)
  }

  package func identifier(_ recordID: CKRecord.ID) -> RecordIdentifier {
    RecordIdentifier(recordName: recordName(recordID), zone: identifier(recordID.zoneID))
  }

  /// The name of a record on the wire.
  ///
  /// The API has a placeholder for the name of the current user's record. User records exist only
  /// in default zones, so other names are unchanged.
  func recordName(_ recordID: CKRecord.ID) -> String {
    recordID.zoneID == .default ? userRecordName(recordID) : recordID.recordName
  }

  package func recordID(_ identifier: RecordIdentifier) -> CKRecord.ID {
    CKRecord.ID(received: identifier.recordName, zoneID: zoneID(identifier.zone))
  }

  // MARK: Records

  /// Decodes a record.
  package func record(_ record: CloudRecord) -> CKRecord {
    var state = RecordState(recordType: record.recordType, recordID: recordID(record.identifier))
    state.changeTag = record.changeTag
    state.seals = record.seals
    state.created = stamp(record.created)
    state.modified = stamp(record.modified)
    state.parent = reference(record.parentName, in: state.recordID.zoneID)
    state.share = reference(record.shareName, in: state.recordID.zoneID)
    for entry in record.fields {
      let origin = scope.map {
        AssetOrigin(scope: $0, record: record.identifier, field: entry.name)
      }
      let content = content(entry.field.value, in: state.recordID.zoneID, origin)
      state[isEncrypted: entry.field.isEncrypted].contents[entry.name] = content
    }
    guard let share = record.share else { return CKRecord(state) }
    state.sharing = sharing(share, record.shortIdentifier, in: state.recordID.zoneID)
    return CKShare(state)
  }

  /// Decodes a stamp; nil if the server sent none.
  private func stamp(_ stamp: RecordStamp) -> RecordState.Stamp? {
    guard !stamp.userRecordName.isEmpty || stamp.time.milliseconds != 0 else { return nil }
    return RecordState.Stamp(user: user(stamp.userRecordName), date: Date(stamp.time))
  }

  /// The ID of a user's record.
  func user(_ userRecordName: String) -> CKRecord.ID {
    let isOwn = userRecordName == currentUser
    return CKRecord.ID(
      received: isOwn ? CKCurrentUserDefaultName : userRecordName, zoneID: .default)
  }

  private func reference(_ name: String?, in zoneID: CKRecordZone.ID) -> CKRecord.Reference? {
    name.map {
      CKRecord.Reference(recordID: CKRecord.ID(received: $0, zoneID: zoneID), action: .none)
    }
  }

  // MARK: Values

  /// Decodes the value of a field.
  ///
  /// - Parameter origin: The record and field that hold the value; nil if no record holds it.
  func content(_ value: FieldValue, in zoneID: CKRecordZone.ID, _ origin: AssetOrigin? = nil)
    -> FieldContent
  {
    switch value {
    case .string(let text): .string(text)
    case .int64(let number): .integer(number)
    case .double(let number): .double(number)
    case .timestamp(let timestamp): .date(Date(timestamp))
    case .bytes(let bytes): .data(Data(bytes))
    case .reference(let reference): .reference(self.reference(reference, in: zoneID))
    case .asset(let asset): .asset(CKAsset(fileURL: nil, stored: asset, origin: origin))
    case .location(let location): .location(CLLocation(location))
    case .list(_, let members): .list(members.map { content($0, in: zoneID, origin) })
    }
  }

  private func reference(_ reference: RecordReference, in zoneID: CKRecordZone.ID)
    -> CKRecord.Reference
  {
    CKRecord.Reference(
      recordID: CKRecord.ID(
        received: reference.recordName, zoneID: reference.zone.map { self.zoneID($0) } ?? zoneID),
      action: reference.action == .deleteSelf ? .deleteSelf : .none)
  }

  /// Encodes the value of a field; nil for an asset that was not uploaded.
  func value(_ content: FieldContent, in zoneID: CKRecordZone.ID) -> FieldValue? {
    switch content {
    case .string(let text): return .string(text)
    case .integer(let number): return .int64(number)
    case .double(let number): return .double(number)
    case .date(let date): return .timestamp(Timestamp(date))
    case .data(let data): return .bytes([UInt8](data))
    case .reference(let reference): return .reference(self.reference(reference, in: zoneID))
    case .asset(let asset): return asset.stored.map { .asset($0) }
    case .location(let location): return .location(LocationValue(location))
    case .list(let members):
      let values = members.compactMap { value($0, in: zoneID) }
      guard values.count == members.count else { return nil }
      return .list(of: values.first?.type ?? .string, values)
    }
  }

  private func reference(_ reference: CKRecord.Reference, in zoneID: CKRecordZone.ID)
    -> RecordReference
  {
    let target = reference.recordID
    return RecordReference(
      recordName: recordName(target),
      zone: target.zoneID == zoneID ? nil : identifier(target.zoneID),
      action: reference.action == .deleteSelf ? .deleteSelf : .none)
  }
}
