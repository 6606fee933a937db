import Synchronization

/// Requests for access to a share by people who were not invited.
///
/// ```swift
/// share.allowsAccessRequests = true                     // … and save the share
/// for requester in share.requesters {                   // later, after fetching the share
///   guard let user = requester.userIdentity.userRecordID else { continue }
///   share.addParticipant(try await container.shareParticipant(forUserRecordID: user))
/// }
/// ```
///
/// Only the owner and administrators see the requests and can change these properties. The server
/// rejects such changes by other participants. Save the share to apply changes.
extension CKShare {
  /// Whether anyone with the share's URL may request access.
  ///
  /// If false, the URL reveals nothing to people who were not invited.
  public var allowsAccessRequests: Bool {
    get { sharing(\.requests.areAllowed) }
    set { state.withLock { $0.sharing?.requests.areAllowed = newValue } }
  }

  /// The people whose requests are not answered yet.
  ///
  /// To grant access, fetch the participant for the requester's `participantLookupInfo`, and add it
  /// to the share.
  public var requesters: [AccessRequester] { sharing(\.requests.stated.requesters) }

  /// The people who may no longer request access.
  public var blockedIdentities: [BlockedIdentity] { sharing(\.requests.stated.blocked) }

  /// Denies requests.
  ///
  /// The requesters may request access again.
  public func denyRequesters(_ requesters: [AccessRequester]) {
    state.withLock { $0.sharing?.requests.deny(requesters) }
  }

  /// Denies requests and blocks further ones.
  ///
  /// A requester who is already a participant is removed from the share.
  public func blockRequesters(_ requesters: [AccessRequester]) {
    state.withLock { $0.sharing?.block(requesters) }
  }

  /// Allows blocked people to request access again.
  public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
    state.withLock { $0.sharing?.requests.unblock(blockedIdentities) }
  }
}
