import Synchronization

/// People who were not invited to a share, and ask to be let in.
///
/// ```swift
/// share.allowsAccessRequests = true                     // … and save the share
/// for requester in share.requesters {                   // of the share as it is fetched later
///   guard let user = requester.userIdentity.userRecordID else { continue }
///   share.addParticipant(try await container.shareParticipant(forUserRecordID: user))
/// }
/// ```
///
/// Only who owns a share, and its administrators, see who asks, and may change anything of this:
/// the server refuses to save the share for others. Saving the share makes changes count.
extension CKShare {
  /// Whether whoever has the share's address may ask to be let in; otherwise they do not learn that
  /// there is a share.
  public var allowsAccessRequests: Bool {
    get { sharing(\.requests.areAllowed) }
    set { state.withLock { $0.sharing?.requests.areAllowed = newValue } }
  }

  /// Who has asked to be let in and was not answered yet.
  ///
  /// Let somebody in by adding the participant to whom their `participantLookupInfo` leads.
  public var requesters: [AccessRequester] { sharing(\.requests.stated.requesters) }

  /// Who may not ask any more.
  public var blockedIdentities: [BlockedIdentity] { sharing(\.requests.stated.blocked) }

  /// Refuses people who have asked; they may ask again.
  public func denyRequesters(_ requesters: [AccessRequester]) {
    state.withLock { $0.sharing?.requests.deny(requesters) }
  }

  /// Refuses people who have asked, and whatever they ask later; where they take part, they do not
  /// any more.
  public func blockRequesters(_ requesters: [AccessRequester]) {
    state.withLock { $0.sharing?.block(requesters) }
  }

  /// Lets people ask again.
  public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
    state.withLock { $0.sharing?.requests.unblock(blockedIdentities) }
  }
}
