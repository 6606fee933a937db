/// A record, as it travels from the server to a client.
package struct CloudRecord: Hashable, Sendable {
  package var identifier: RecordIdentifier
  package var recordType: String
  /// Changes with every save of the record.
  package var changeTag: String
  package var fields: RecordFields
  package var created: RecordStamp
  package var modified: RecordStamp
  /// The record that this one belongs to: it is shared with it.
  package var parentName: String?
  /// The share that this record is the root of.
  package var shareName: String?
  /// The short name by which others find the share, for roots and shares.
  package var shortIdentifier: String?
  /// What makes the record a share.
  package var share: ShareDetails?

  package init(
    identifier: RecordIdentifier, recordType: String, changeTag: String, fields: RecordFields,
    created: RecordStamp,
    modified: RecordStamp
  ) {
    self.identifier = identifier
    self.recordType = recordType
    self.changeTag = changeTag
    self.fields = fields
    self.created = created
    self.modified = modified
  }
}

/// What a share has beside a record's fields.
package struct ShareDetails: Hashable, Sendable {
  /// The type of every share.
  package static let recordType = "cloudkit.share"
  /// The name of the share of a whole zone.
  package static let zoneShareName = "cloudkit.zoneshare"

  /// What everybody with the link may do.
  package var publicPermission: ShareParticipant.Permission
  /// The owner first, then in the order in which they came.
  package var participants: [ShareParticipant]
  /// The record whose descendants are shared; nil for a share of the whole zone.
  package var rootName: String?
  /// What the share has for people who were not invited.
  package var requests = ShareRequests()

  package init(
    publicPermission: ShareParticipant.Permission, participants: [ShareParticipant],
    rootName: String? = nil
  ) {
    self.publicPermission = publicPermission
    self.participants = participants
    self.rootName = rootName
  }
}
