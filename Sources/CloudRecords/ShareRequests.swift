/// Who asks to be let into a share without having been invited, and who may not.
package struct ShareRequests: Hashable, Sendable {
  /// Whether whoever has the link may ask.
  package var areAllowed: Bool
  /// Those who have asked and were not answered, in the order in which they came.
  package var requesters: [UserIdentity]
  /// Those who may not ask any more.
  package var blocked: [UserIdentity]

  package init(
    areAllowed: Bool = false, requesters: [UserIdentity] = [], blocked: [UserIdentity] = []
  ) {
    self.areAllowed = areAllowed
    self.requesters = requesters
    self.blocked = blocked
  }

  /// Whether there is nothing to be said of them.
  package var isEmpty: Bool { self == ShareRequests() }
}
