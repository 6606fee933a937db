/// The requests for access to a share by people who were not invited.
package struct ShareRequests: Hashable, Sendable {
  /// Whether anyone with the link may request access.
  package var areAllowed: Bool
  /// The unanswered requesters, in the order of their requests.
  package var requesters: [UserIdentity]
  /// The people who may no longer request access.
  package var blocked: [UserIdentity]

  package init(
    areAllowed: Bool = false, requesters: [UserIdentity] = [], blocked: [UserIdentity] = []
  ) {
    self.areAllowed = areAllowed
    self.requesters = requesters
    self.blocked = blocked
  }

  /// Whether all values are the defaults.
  package var isEmpty: Bool { self == ShareRequests() }
}
