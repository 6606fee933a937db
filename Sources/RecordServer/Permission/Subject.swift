package import CloudRecords
package import CloudSchema

/// What an action is about, seen from the caller: everything that a decision needs, and nothing
/// else.
package enum Subject: Hashable, Sendable {
  /// Something in the public database: what the record's type grants the roles that the caller has.
  case publicRecord(grants: RecordPermissions)
  /// The public database itself: its zone, its subscriptions.
  case publicDatabase
  /// Something in the caller's own private database.
  case own(Place)
  /// Something in a zone that somebody else owns, which the caller named in the shared database.
  case others(ShareRole, Coverage)
  /// Somebody else's private database, named in the private database.
  case stranger
  /// A share that the caller comes to by its link.
  case link(LinkStanding)
  /// The sealed keys of a user: the caller, or another, whose public ones they are then.
  case userKeys(isOwn: Bool)

  /// A place in a private database.
  package enum Place: CaseIterable, Hashable, Sendable {
    case defaultZone
    case customZone
  }
}

/// What the caller is to the share that it comes by.
package enum ShareRole: Hashable, Sendable {
  /// Not a participant, or not any more: the zone does not exist for the caller.
  case outsider
  /// Asked, and has not answered yet.
  case invited
  /// Takes part.
  case participant(ShareParticipant.Role, ShareParticipant.Permission)
}

/// What a caller who comes by a share's link is to the share.
package enum LinkStanding: Hashable, Sendable {
  case owner
  /// Was asked, or takes part already.
  case participant
  /// Nobody asked the caller: what the share lets everybody do who has its link.
  case everybody(ShareParticipant.Permission)
}

/// What the caller's share covers.
package enum Coverage: CaseIterable, Hashable, Sendable {
  /// The whole zone.
  case wholeZone
  /// A tree of records, to which the thing belongs.
  case inTree
  /// The record at the top of the tree, which the share was made for.
  case root
  /// A tree of records, to which the thing does not belong.
  case outsideTree
}
