public import Foundation

extension CKShare {
  /// One who may not ask to be let into a share.
  public typealias BlockedIdentity = CKShareBlockedIdentity
}

// Sendable: immutable.
/// One who may not ask to be let into a share: `CKShare.BlockedIdentity`.
public final class CKShareBlockedIdentity: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// Who it is.
  public let userIdentity: CKUserIdentity

  init(_ identity: CKUserIdentity) { userIdentity = identity }

  // MARK: Archives

  /// Reads an identity from an archive; nil where it holds none.
  public init?(coder: NSCoder) {
    guard let identity = coder.object(CKUserIdentity.self, Self.key) else { return nil }
    userIdentity = identity
  }

  /// Writes the identity into an archive.
  public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: Self.key) }

  private static let key = "UserIdentity"

  /// True: it holds names only.
  public static var supportsSecureCoding: Bool { true }

  /// The same: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Two are equal where the same is known of them.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareBlockedIdentity)?.userIdentity == userIdentity
  }

  /// Equal ones have equal hashes.
  public override var hash: Int { userIdentity.hash }

  /// Who it is.
  public override var description: String { "<CKShareBlockedIdentity: \(userIdentity)>" }
}
