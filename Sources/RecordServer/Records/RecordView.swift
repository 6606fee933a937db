import CloudRecords
import CloudWire

/// Shows stored records to a caller.
struct RecordView {
  let access: ZoneAccess
  let caller: Caller
  /// The fields that the request wants; nil for all.
  var desiredKeys: Set<String>?
  var style = FieldStyle()
  /// How the caller reaches the server: what addresses of files begin with.
  var serverAddress: String
  /// Makes the rest of these addresses.
  var addresses: any AssetAddresses

  func wants(_ field: String) -> Bool { desiredKeys?.contains(field) ?? true }

  func show(_ stored: StoredRecord) -> ShownRecord {
    var record = CloudRecord(
      identifier: RecordIdentifier(recordName: stored.recordName, zone: access.identifier),
      recordType: stored.recordType, changeTag: RecordTag.text(stored.tag), fields: wanted(stored),
      created: stored.created, modified: stored.modified)
    record.parentName = stored.parentName
    record.shareName = stored.share == nil ? stored.shareName : nil
    record.shortIdentifier = stored.shortIdentifier
    var shown = ShownRecord(record: record, style: style)
    if let share = stored.share { show(share, in: &shown) }
    return shown
  }

  private func wanted(_ stored: StoredRecord) -> RecordFields {
    var fields = stored.fields
    if desiredKeys != nil { fields = RecordFields(sorted: fields.entries.filter { wants($0.name) }) }
    for entry in fields where (entry.field.value.type.member ?? entry.field.value.type) == .asset {
      fields[entry.name] = Field(addressed(entry.field.value), isEncrypted: entry.field.isEncrypted)
    }
    return fields
  }

  /// The value with the addresses of its files.
  func addressed(_ value: FieldValue) -> FieldValue {
    switch value {
    case .asset(var asset):
      asset.downloadURL = addresses.download(of: asset).map { serverAddress + $0 }
      return .asset(asset)
    case .list(let member, let members): return .list(of: member, members.map(addressed))
    default: return value
    }
  }

  private func show(_ share: ShareDetails, in shown: inout ShownRecord) {
    let name = caller.userRecordName
    var details = share
    details.participants = ShareRules.participants(of: share, shownTo: name)
    if !ShareRules.isManager(name, of: share) { details.requests = ShareRequests() }
    shown.record.share = details
    shown.ownParticipant = share.participants.first { $0.identity.userRecordName == name }
  }
}
