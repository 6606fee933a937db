package import CloudRecords
package import JSONCoding

/// The result for one record of a request.
///
/// A response to operations has one result for each of them, in the same order.
package enum RecordResult: Hashable, Sendable {
  /// An existing record.
  ///
  /// The case is indirect, because results are passed in arrays and a record is large.
  indirect case record(VisibleRecord)
  /// A record that no longer exists.
  case deleted(DeletedRecord)
  case failed(recordName: String, CloudError)
}

/// A deleted record.
package struct DeletedRecord: Hashable, Sendable {
  package var recordName: String
  package var zone: RecordZoneIdentifier?
  /// The record's type, in responses to Parhelion's own client only.
  ///
  /// Other clients would treat the record as an existing one.
  package var recordType: String?

  package init(recordName: String, zone: RecordZoneIdentifier? = nil, recordType: String? = nil) {
    self.recordName = recordName
    self.zone = zone
    self.recordType = recordType
  }
}

/// A record as visible to one caller.
package struct VisibleRecord: Hashable, Sendable {
  package var record: CloudRecord
  package var style: FieldStyle
  /// The caller's own participation, for shares.
  package var ownParticipant: ShareParticipant?
  /// The address of the invitation page, for shares.
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
  /// Writes the result for one record.
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

  /// Writes a record whose fields a closure writes, each with its key.
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

  /// Writes the name of the share that a record or zone belongs to.
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
