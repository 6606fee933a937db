/// Something that mirroring does to its end before it does anything else.
package enum MirrorStep: Hashable, Sendable {
  /// Sees who is signed in, makes the zone and the subscription.
  case setUp
  /// Takes over what changed in the cloud.
  case importing
  /// Sends what changed here.
  case exporting
  /// Brings what is known of the cloud in order.
  case reset(Reset)

  /// What is forgotten of the cloud, and why.
  package enum Reset: Hashable, Sendable {
    /// The places up to which changes were fetched: everything is fetched again.
    case tokens
    /// All that is known of a zone that is gone: it is made again, and everything is sent again.
    case zone
    /// The same for a zone whose encrypted values nobody can read any more; what is left of it is
    /// deleted first.
    case encryptedData
    /// The objects that the cloud had, since the user deleted them there and the program agreed;
    /// unsent changes stay.
    case objects
    /// With which cloud, and for whom, the store was mirrored: the program agreed that everything
    /// goes to where it is pointed at, and to whoever is signed in there.
    case cloud
    /// Everything, the objects here as well: the program agreed that the store begins anew for
    /// whoever is signed in.
    case account
  }
}

/// How a step ended.
package struct MirrorOutcome: Sendable, Equatable {
  /// What ended the step; nil where it came to its end.
  package var fault: MirrorFault?
  /// What kept parts of it from being done, while the rest was.
  package var hindrances: [MirrorFault] = []
  /// Whether anything was moved, so that it did not run in vain.
  package var hasMoved = false
  /// Whether there is more of the same to do.
  package var hasMore = false

  package init(
    fault: MirrorFault? = nil, hindrances: [MirrorFault] = [], hasMoved: Bool = false,
    hasMore: Bool = false
  ) {
    self.fault = fault
    self.hindrances = hindrances
    self.hasMoved = hasMoved
    self.hasMore = hasMore
  }

  /// Whether all was done that the step was for.
  ///
  /// What is wrong with single records is told by itself: it keeps nobody from having everything
  /// else of the server's, while what was to be sent and was not is still to be sent.
  func isThrough(_ step: MirrorStep) -> Bool {
    fault == nil && hindrances.allSatisfy { step == .importing && $0.kind.isOfSingleContents }
  }
}
