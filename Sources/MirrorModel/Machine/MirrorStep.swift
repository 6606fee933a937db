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

  /// The state of the cloud that a reset drops, and the reason.
  package enum Reset: Hashable, Sendable {
    /// Feed positions: everything is fetched again.
    case tokens
    /// A zone that is gone: it is made again, and everything is sent again.
    case zone
    /// The same for a zone whose encrypted values are lost. The rest of it is deleted first.
    case encryptedData
    /// The objects of a zone that the user deleted, after the program agreed; unsent changes stay.
    case objects
    /// The former cloud and user: the program agreed to send everything to the current ones.
    case cloud
    /// Everything, the objects included: the program agreed to start over for the current user.
    case account
  }
}

/// How a step ended.
package struct MirrorOutcome: Sendable, Equatable {
  /// The error that ended the step; nil if it was completed.
  package var fault: MirrorError?
  /// The errors that blocked parts of the step, while the rest was done.
  package var blockers: [MirrorError] = []
  /// Whether anything was moved, so that it did not run in vain.
  package var hasMoved = false
  /// Whether there is more of the same to do.
  package var hasMore = false

  package init(
    fault: MirrorError? = nil, blockers: [MirrorError] = [], hasMoved: Bool = false,
    hasMore: Bool = false
  ) {
    self.fault = fault
    self.blockers = blockers
    self.hasMoved = hasMoved
    self.hasMore = hasMore
  }

  /// Whether all was done that the step was for.
  ///
  /// Problems of single records do not stop an import, but an export has entries left then.
  package func isThrough(_ step: MirrorStep) -> Bool {
    fault == nil && blockers.allSatisfy { step == .importing && $0.kind.isOfSingleContents }
  }
}
