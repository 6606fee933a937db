/// What a caller wants to do to one thing in a database.
package enum Action: CaseIterable, Hashable, Sendable {
  case readRecord
  case createRecord
  case changeRecord
  case deleteRecord
  /// Makes a share of a record or of a zone.
  case createShare
  case readShare
  /// Changes what a share shows of itself, or what everybody with its link may do.
  case changeShare
  /// Invites, removes, and says what participants may do.
  case manageParticipants
  /// Ends a share for everybody.
  case endShare
  /// Ends the caller's own part in a share.
  case leaveShare
  case createZone
  case deleteZone
  /// Learns that a zone exists, its feed's position, and that it moved.
  case seeZone
  case subscribe
  /// Learns by a share's link what is shared.
  case resolveShare
  /// Takes part in a share by its link.
  case joinShare
  /// Fetches the sealed keys of a zone, a share or a user.
  case readKeyBag
  case writeKeyBag
}
