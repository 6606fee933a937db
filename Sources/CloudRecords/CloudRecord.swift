/// A record as the server sends it to a client.
package struct CloudRecord: Hashable, Sendable {
  package var identifier: RecordIdentifier
  package var recordType: String
  /// The record's version, which each save changes.
  package var changeTag: String
  package var fields: RecordFields
  package var created: RecordStamp
  package var modified: RecordStamp
  /// The record's parent in a hierarchy.
  ///
  /// A share of the parent includes this record.
  package var parentName: String?
  /// The share whose root this record is.
  package var shareName: String?
  /// The part of a share's URL that identifies the share; only for roots and shares.
  package var shortIdentifier: String?
  /// The details of a share; nil for ordinary records.
  package var share: ShareDetails?
  /// The last known saves of the encrypted fields, after a device has opened them.
  ///
  /// They are part of the sealed values. The wire format has no field for them.
  package var seals = SealStamps()

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

/// The properties of a share that ordinary records lack.
package struct ShareDetails: Hashable, Sendable {
  /// The record type of every share.
  package static let recordType = "cloudkit.share"
  /// The record name of a zone-wide share.
  package static let zoneShareName = "cloudkit.zoneshare"

  /// The permission of everyone who has the link.
  package var publicPermission: ShareParticipant.Permission
  /// The owner first, then the others in the order in which they were added.
  package var participants: [ShareParticipant]
  /// The root record of a hierarchy share; nil for a zone-wide share.
  package var rootName: String?
  /// The access requests of people who were not invited.
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
