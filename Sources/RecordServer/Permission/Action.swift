/// An action of a caller on one object in a database.
package enum Action: CaseIterable, Hashable, Sendable {
  case readRecord
  case createRecord
  case changeRecord
  case deleteRecord
  /// Creates a share of a record or of a zone.
  case createShare
  case readShare
  /// Changes a share's own fields, or the permission of everyone with its link.
  case changeShare
  /// Invites and removes participants, and changes their permissions.
  case manageParticipants
  /// Ends a share for all participants.
  case endShare
  /// Ends the caller's own participation in a share.
  case leaveShare
  case createZone
  case deleteZone
  /// Sees a zone's existence, feed position and changes.
  case seeZone
  case subscribe
  /// Reads a share's metadata by its link.
  case resolveShare
  /// Joins a share by its link.
  case joinShare
  /// Reads the sealed keys of a zone, a share or a user.
  case readKeyBag
  case writeKeyBag
}
