public import Foundation

// What of sharing needs a server that takes requests of people who were not invited, which Parhelion's does not yet.

@available(
  *, unavailable, message: "The server takes no requests for access yet. Add participants, or set publicPermission."
)
extension CKShare {
  /// Whether people who know the share's address may ask for access.
  public var allowsAccessRequests: Bool {
    get { false }
    set {}
  }
  /// Who asks for access.
  public var requesters: [CKUserIdentity] { [] }
  /// Who may not ask for access any more.
  public var blockedIdentities: [CKUserIdentity] { [] }
  /// Refuses requests for access.
  public func denyRequesters(_ requesters: [CKUserIdentity]) {}
  /// Refuses requests for access, and those that the same people make later.
  public func blockRequesters(_ requesters: [CKUserIdentity]) {}
  /// Lets people ask again.
  public func unblockIdentities(_ identities: [CKUserIdentity]) {}
}

@available(
  *, unavailable, message: "The server makes no addresses for one use yet. Add participants, or set publicPermission."
)
extension CKShare {
  /// An address by which one participant can accept the share, once.
  public func oneTimeURL(for participantID: String) -> URL? { nil }
}

@available(
  *, unavailable,
  message: "The server makes no addresses for one use yet. Look participants up, or set publicPermission."
)
extension CKShareParticipant {
  /// A participant whom only an address for one use names.
  public class func oneTimeURLParticipant() -> CKShareParticipant { preconditionFailure("It cannot be called.") }
}

@available(*, unavailable, message: "The server takes no requests for access yet.")
extension CKShareParticipant {
  /// Whether the participant asked for access and got it.
  public var isApprovedRequester: Bool { false }
}

@available(*, unavailable, message: "The server takes no requests for access yet. Ask the owner to add you.")
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  /// An operation that asks the owners of shares for access.
  public init(shareURLs: [URL]) {
    self.shareURLs = shareURLs
    super.init()
  }

  /// The addresses of the shares.
  open var shareURLs: [URL]?
  /// Is told what became of each request.
  open var perShareAccessRequestCompletionBlock: ((URL, (any Error)?) -> Void)?
  /// Is told the end.
  open var shareRequestAccessCompletionBlock: (((any Error)?) -> Void)?
}
