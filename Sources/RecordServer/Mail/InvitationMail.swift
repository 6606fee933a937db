package import CloudRecords

/// The content of a mail to a person who was invited to a share.
package struct InvitationMail: Hashable, Sendable {
  /// The address by which the person was invited.
  package var address: String
  /// The name of the share's owner; nil if it is unknown.
  package var ownerName: String?
  /// The share's title; nil if it has none, or if only the participants' devices can read it.
  package var title: String?
  package var permission: ShareParticipant.Permission
  /// The short name of the share, or the participant's own one.
  package var linkName: String
  package var container: ContainerAddress
  package var time: Timestamp
  /// A unique text of letters and digits.
  package var identifier: String
}

/// The result of an attempt to send a mail.
package enum MailOutcome: Hashable, Sendable {
  case sent
  /// The mail server refused the mail for good.
  case rejected(String)
  /// The attempt failed and may succeed later.
  case failed(String)
}

/// An invitation that could not be sent by mail, for the operator's log.
package struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
