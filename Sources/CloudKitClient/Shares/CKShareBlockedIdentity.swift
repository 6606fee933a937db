public import Foundation

extension CKShare {
  /// A person who may not request access to a share.
  public typealias BlockedIdentity = CKShareBlockedIdentity
}

// Sendable: immutable.
/// A person who may not request access to a share; also available as `CKShare.BlockedIdentity`.
public final class CKShareBlockedIdentity: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The person's identity.
  public let userIdentity: CKUserIdentity

  init(_ identity: CKUserIdentity) { userIdentity = identity }

  // MARK: Archives

  /// Creates a blocked identity from an archive; nil if the archive contains none.
  public init?(coder: NSCoder) {
    guard let identity = coder.object(CKUserIdentity.self, Self.key) else { return nil }
    userIdentity = identity
  }

  /// Encodes the blocked identity into an archive.
  public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: Self.key) }

  private static let key = "UserIdentity"

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the blocked identity itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether two blocked identities are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareBlockedIdentity)?.userIdentity == userIdentity
  }

  /// A hash that is the same for equal blocked identities.
  public override var hash: Int { userIdentity.hash }

  /// The person's identity.
  public override var description: String { "<CKShareBlockedIdentity: \(userIdentity)>" }
}
