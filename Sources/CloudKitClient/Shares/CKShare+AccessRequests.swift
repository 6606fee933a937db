import Synchronization

/// Requests for access to a share by people who were not invited.
///
/// ```swift
/// share.allowsAccessRequests = true                     // … and save the share
/// for requester in share.requesters {                   // of the share as it is fetched later
///   guard let user = requester.userIdentity.userRecordID else { continue }
///   share.addParticipant(try await container.shareParticipant(forUserRecordID: user))
/// }
/// ```
///
/// Only the owner and administrators see the requests and can change these properties. The server
/// rejects such a share from others. Save the share to apply changes.
extension CKShare {
  /// Whether anyone with the share's URL may request access.
  ///
  /// Otherwise the URL reveals nothing to them.
  public var allowsAccessRequests: Bool {
    get { sharing(\.requests.areAllowed) }
    set { state.withLock { $0.sharing?.requests.areAllowed = newValue } }
  }

  /// The unanswered requesters.
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
  /// A requester who is already a participant is removed.
  public func blockRequesters(_ requesters: [AccessRequester]) {
    state.withLock { $0.sharing?.block(requesters) }
  }

  /// Allows blocked people to request access again.
  public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
    state.withLock { $0.sharing?.requests.unblock(blockedIdentities) }
  }
}
