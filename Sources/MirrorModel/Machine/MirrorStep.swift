/// A unit of work that ends before mirroring does anything else.
package enum MirrorStep: Hashable, Sendable {
  /// Checks the signed-in user, and creates the zone and the subscription.
  case setUp
  /// Applies changes of the cloud.
  case importing
  /// Sends local changes.
  case exporting
  /// Drops outdated state of the cloud.
  case reset(Reset)

  /// The state of the cloud that a reset drops, and why.
  package enum Reset: Hashable, Sendable {
    /// Feed positions: everything is fetched again.
    case tokens
    /// A deleted zone: it is created again, and everything is sent again.
    case zone
    /// A zone whose encrypted values are lost: the rest is deleted, and everything is sent again.
    case encryptedData
    /// The objects of a zone that the user deleted, after the program agreed; unsent changes stay.
    case objects
    /// The former cloud and user: the program agreed to send everything to the current ones.
    case cloud
    /// Everything, the objects included: the program agreed to start over for the current user.
    case account
  }
}

/// The result of a step.
package struct MirrorOutcome: Sendable, Equatable {
  /// The error that ended the step; nil if it was completed.
  package var failure: MirrorError?
  /// The errors that blocked parts of the step, while the rest was done.
  package var blockers: [MirrorError] = []
  /// Whether the step made progress.
  package var hasMoved = false
  /// Whether more of the same work remains.
  package var hasMore = false

  package init(
    failure: MirrorError? = nil, blockers: [MirrorError] = [], hasMoved: Bool = false,
    hasMore: Bool = false
  ) {
    self.failure = failure
    self.blockers = blockers
    self.hasMoved = hasMoved
    self.hasMore = hasMore
  }

  /// Whether the step did all its work.
  ///
  /// Errors of single records do not stop an import, but an export then has entries left.
  package func isStepComplete(_ step: MirrorStep) -> Bool {
    failure == nil && blockers.allSatisfy { step == .importing && $0.kind.concernsSingleRecord }
  }
}
