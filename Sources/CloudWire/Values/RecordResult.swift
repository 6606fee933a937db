package import CloudRecords
package import JSONCoding

/// What became of one record of a request: one for each operation, in their order.
package enum RecordResult: Hashable, Sendable {
  /// Indirect, since results are handed on in arrays and a record has many parts.
  indirect case record(VisibleRecord)
  /// A record that is not there any more.
  case deleted(DeletedRecord)
  case failed(recordName: String, CloudError)
}

/// What is told of a record that is gone.
package struct DeletedRecord: Hashable, Sendable {
  package var recordName: String
  package var zone: RecordZoneIdentifier?
  /// Told only to clients that ask for it: others take a record with a type for one that lives.
  package var recordType: String?

  package init(recordName: String, zone: RecordZoneIdentifier? = nil, recordType: String? = nil) {
    self.recordName = recordName
    self.zone = zone
    self.recordType = recordType
  }
}

/// A record as one caller sees it.
package struct VisibleRecord: Hashable, Sendable {
  package var record: CloudRecord
  package var style: FieldStyle
  /// For shares: the caller's own part.
  package var ownParticipant: ShareParticipant?
  /// For shares: where the invitation's page is.
  package var shareURL: String?

  package init(
    record: CloudRecord, style: FieldStyle = FieldStyle(), ownParticipant: ShareParticipant? = nil,
    shareURL: String? = nil
  ) {
    self.record = record
    self.style = style
    self.ownParticipant = ownParticipant
    self.shareURL = shareURL
  }
}

extension JSONWriter {
  /// What became of one record.
  package mutating func result(_ result: RecordResult) {
    switch result {
    case .record(let shown): record(shown)
    case .deleted(let gone): deleted(gone)
    case .failed(let name, let error):
      beginObject()
      text("recordName", name)
      errorMembers(error)
      endObject()
    }
  }

  private mutating func deleted(_ gone: DeletedRecord) {
    beginObject()
    text("recordName", gone.recordName)
    bool("deleted", true)
    text("recordType", ifPresent: gone.recordType)
    if let zone = gone.zone {
      key("zoneID")
      self.zone(zone)
    }
    endObject()
  }

  mutating func record(_ shown: VisibleRecord) {
    record(shown) { writer in
      for entry in shown.record.fields {
        writer.key(text: entry.name)
        writer.field(entry.field, shown.style)
      }
    }
  }

  /// A record whose fields somebody else writes, each with its key.
  package mutating func record<Failure: Error>(
    _ shown: VisibleRecord, fields: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let record = shown.record
    beginObject()
    text("recordName", record.identifier.recordName)
    text("recordType", record.recordType)
    key("fields")
    beginObject()
    try fields(&self)
    endObject()
    key("pluginFields")
    beginObject()
    endObject()
    text("recordChangeTag", record.changeTag)
    key("created")
    stamp(record.created, shown.style)
    key("modified")
    stamp(record.modified, shown.style)
    bool("deleted", false)
    key("zoneID")
    zone(record.identifier.zone)
    links(of: record)
    if let share = record.share { self.share(share, shown) }
    endObject()
  }

  private mutating func stamp(_ stamp: RecordStamp, _ style: FieldStyle) {
    beginObject()
    number("timestamp", stamp.time.milliseconds)
    text("userRecordName", stamp.userRecordName)
    text("deviceID", stamp.deviceIdentifier)
    endObject()
  }

  private mutating func links(of record: CloudRecord) {
    if let parent = record.parentName {
      key("parent")
      beginObject()
      text("recordName", parent)
      endObject()
    }
    share(ifPresent: record.shareName, in: record.identifier.zone)
    text("shortGUID", ifPresent: record.shortIdentifier)
  }

  /// The name of the share that something belongs to.
  mutating func share(ifPresent name: String?, in zone: RecordZoneIdentifier) {
    guard let name else { return }
    key("share")
    beginObject()
    text("recordName", name)
    key("zoneID")
    self.zone(zone)
    endObject()
  }

  private mutating func share(_ share: ShareDetails, _ shown: VisibleRecord) {
    text("publicPermission", share.publicPermission.name)
    key("participants")
    beginArray()
    for participant in share.participants { self.participant(participant) }
    endArray()
    if let owner = share.participants.first(where: { $0.role == .owner }) {
      key("owner")
      participant(owner)
    }
    if let own = shown.ownParticipant {
      key("currentUserParticipant")
      participant(own)
    }
    text("shareURL", ifPresent: shown.shareURL)
    requests(share.requests)
  }
}
