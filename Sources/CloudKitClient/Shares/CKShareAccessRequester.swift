public import Foundation

extension CKShare {
  /// One who has asked to be let into a share.
  public typealias AccessRequester = CKShareAccessRequester
}

// Sendable: immutable.
/// One who has asked to be let into a share without having been invited: `CKShare.AccessRequester`.
public final class CKShareAccessRequester: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// Who it is.
  public let userIdentity: CKUserIdentity

  /// How to look the person up: fetch the participant that it leads to, and add that to the share,
  /// to let the person in.
  public let participantLookupInfo: CKUserIdentity.LookupInfo

  /// - Returns: Nil where nothing is known by which somebody could be let in or refused.
  init?(_ identity: CKUserIdentity) {
    let record = identity.userRecordID.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
    guard let info = identity.lookupInfo ?? record else { return nil }
    (userIdentity, participantLookupInfo) = (identity, info)
  }

  // MARK: Archives

  /// Reads a requester from an archive; nil where it holds none.
  public convenience init?(coder: NSCoder) {
    guard let identity = coder.object(CKUserIdentity.self, Self.key) else { return nil }
    self.init(identity)
  }

  /// Writes the requester into an archive.
  public func encode(with coder: NSCoder) { coder.encode(userIdentity, forKey: Self.key) }

  private static let key = "UserIdentity"

  /// True: it holds names only.
  public static var supportsSecureCoding: Bool { true }

  /// The same: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Two are equal where the same is known of them.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareAccessRequester)?.userIdentity == userIdentity
  }

  /// Equal ones have equal hashes.
  public override var hash: Int { userIdentity.hash }

  /// Who it is.
  public override var description: String { "<CKShareAccessRequester: \(userIdentity)>" }
}
