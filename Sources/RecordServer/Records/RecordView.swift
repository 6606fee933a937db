import CloudRecords
import CloudWire

/// Presents stored records to a caller.
struct RecordView {
  let access: ZoneAccess
  let caller: Caller
  /// The requested fields; nil for all.
  var desiredKeys: Set<String>?
  var style = FieldStyle()
  /// The server's address as the caller knows it, which begins the address of each file.
  var serverAddress: String
  /// Creates the rest of a file's address.
  var addresses: any AssetAddresses
  /// Opens sealed values.
  var sealer: ValueSealer

  func wants(_ field: String) -> Bool { desiredKeys?.contains(field) ?? true }

  /// The result for a record, or the error of a value that cannot be opened.
  func result(of stored: StoredRecord) -> RecordResult {
    do throws(CloudError) {
      return .record(try show(stored))
    } catch {
      return .failed(recordName: stored.recordName, error)
    }
  }

  func show(_ stored: StoredRecord) throws(CloudError) -> VisibleRecord {
    var shown = VisibleRecord(
      record: CloudRecord(
        identifier: RecordIdentifier(recordName: stored.recordName, zone: access.identifier),
        recordType: stored.recordType, changeTag: RecordTag.text(stored.tag),
        fields: try wanted(stored),
        created: stored.created, modified: stored.modified), style: style)
    shown.record.parentName = stored.parentName
    shown.record.shareName = stored.share == nil ? stored.shareName : nil
    shown.record.shortIdentifier = stored.shortIdentifier
    if let share = stored.share { show(share, in: &shown) }
    return shown
  }

  private func wanted(_ stored: StoredRecord) throws(CloudError) -> RecordFields {
    var fields = stored.fields
    if desiredKeys != nil {
      fields = RecordFields(sorted: fields.entries.filter { wants($0.name) })
    }
    // Few records have files, so the fields of the others are not rewritten.
    for index in fields.entries.indices where fields.entries[index].field.value.holdsFiles {
      let entry = fields.entries[index]
      fields[entry.name] = Field(show(entry.field.value), isEncrypted: entry.field.isEncrypted)
    }
    if !stored.sealed.isEmpty { try open(stored, into: &fields) }
    return fields
  }

  private func open(_ stored: StoredRecord, into fields: inout RecordFields) throws(CloudError) {
    let sealing = RecordSealing(sealer, in: access.keys)
    for field in stored.sealed where wants(field.name) {
      fields[field.name] = try sealing.opened(field, of: stored.recordName)
    }
  }

  /// The value with download addresses for its files.
  func show(_ value: FieldValue) -> FieldValue {
    switch value {
    case .asset(var asset):
      asset.downloadURL = addresses.download(of: asset).map { serverAddress + $0 }
      return .asset(asset)
    case .list(let member, let members): return .list(of: member, members.map { show($0) })
    default: return value
    }
  }

  /// The time and author of a share's last change, such as a join.
  ///
  /// If the author is neither the caller nor a visible participant, the owner replaces the author.
  private func modified(_ record: CloudRecord, by participants: [ShareParticipant]) -> RecordStamp {
    let name = record.modified.userRecordName
    guard name != caller.userRecordName,
      !participants.contains(where: { $0.identity.userRecordName == name })
    else {
      return record.modified
    }
    return RecordStamp(time: record.modified.time, userRecordName: record.created.userRecordName)
  }

  private func show(_ share: ShareDetails, in shown: inout VisibleRecord) {
    let name = caller.userRecordName
    var details = share
    details.participants = ShareRules.participants(of: share, shownTo: name)
    if !ShareRules.isManager(name, of: share) { details.requests = ShareRequests() }
    shown.record.share = details
    shown.record.modified = modified(shown.record, by: details.participants)
    shown.ownParticipant = share.participants.first { $0.identity.userRecordName == name }
  }
}
