package import CloudRecords
package import CloudSchema

/// The object of an action from the caller's view: everything that a permission depends on.
package enum Subject: Hashable, Sendable {
  /// A record in the public database, with the permissions that its type grants to the caller's
  /// roles.
  case publicRecord(grants: RecordPermissions)
  /// The public database itself: its zone and its subscriptions.
  case publicDatabase
  /// An object in the caller's own private database.
  case own(Place)
  /// An object in another user's zone, through the shared database.
  case others(ShareRole, Coverage)
  /// A zone of another user that a request names in the private database, not in the shared one.
  case otherPrivateDatabase
  /// A share that the caller accesses by its link.
  case link(LinkStanding)
  /// The key bag of the caller, or the public one of another user.
  case userKeys(isOwn: Bool)

  /// A place in a private database.
  package enum Place: CaseIterable, Hashable, Sendable {
    case defaultZone
    case customZone
  }
}

/// The caller's role in a share.
package enum ShareRole: Hashable, Sendable {
  /// Not a participant: the zone does not exist for the caller.
  case outsider
  /// Invited, but has not accepted yet.
  case invited
  /// An accepted participant.
  case participant(ShareParticipant.Role, ShareParticipant.Permission)
}

/// The role of a caller that uses a share's link.
package enum LinkStanding: Hashable, Sendable {
  case owner
  /// Invited or accepted, with the participant's permission.
  case participant(ShareParticipant.Permission)
  /// Not invited: has the public permission of the share.
  case uninvited(ShareParticipant.Permission)
  /// Not invited, and may not know that the share exists.
  case concealed
}

/// The part of the zone that the caller's share covers.
package enum Coverage: CaseIterable, Hashable, Sendable {
  /// The whole zone.
  case wholeZone
  /// A tree of records that contains the object.
  case inTree
  /// The root record of the tree.
  case root
  /// A tree of records that does not contain the object.
  case outsideTree
}
