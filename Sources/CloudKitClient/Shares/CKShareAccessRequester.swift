public import Foundation

extension CKShare {
  /// A person who has requested access to a share.
  public typealias AccessRequester = CKShareAccessRequester
}

// Sendable: immutable.
/// A person who has requested access to a share without an invitation; also available as
/// `CKShare.AccessRequester`.
public final class CKShareAccessRequester: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The person's identity.
  public let userIdentity: CKUserIdentity

  /// The information for fetching the person as a participant, to grant access.
  public let participantLookupInfo: CKUserIdentity.LookupInfo

  /// Creates a requester; nil if the identity is insufficient to grant or deny access.
  init?(_ identity: CKUserIdentity) {
    let record = identity.userRecordID.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
    guard let info = identity.lookupInfo ?? record else { return nil }
    (userIdentity, participantLookupInfo) = (identity, info)
  }

  // MARK: Archives

  /// Creates a requester from an archive; nil if the archive contains none.
  public convenience init?(coder: NSCoder) {
    guard let identity = coder.object(CKUserIdentity.self, Self.key) else { return nil }
    self.init(identity)
  }

  /// Encodes the requester into an archive.
  public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: Self.key) }

  private static let key = "UserIdentity"

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the requester itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether two requesters have the same identity.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareAccessRequester)?.userIdentity == userIdentity
  }

  /// A hash that is the same for equal requesters.
  public override var hash: Int { userIdentity.hash }

  /// The person's identity.
  public override var description: String { "<CKShareAccessRequester: \(userIdentity)>" }
}
