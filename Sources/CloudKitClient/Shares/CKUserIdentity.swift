public import Foundation

// Sendable: immutable.
/// Who somebody is, as far as it may be known.
open class CKUserIdentity: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The name of the user's record; nil for somebody who was invited and has not answered.
  public let userRecordID: CKRecord.ID?
  /// How the user was looked for, where they were.
  public let lookupInfo: CKUserIdentity.LookupInfo?
  /// The name, where the user lets others see it.
  public let nameComponents: PersonNameComponents?

  /// Whether somebody with an account is known behind it.
  open var hasiCloudAccount: Bool { userRecordID != nil }

  /// The people in the user's address book who are this one: none, since there is no address book
  /// on this platform.
  open var contactIdentifiers: [String] { [] }

  package init(
    userRecordID: CKRecord.ID?, lookupInfo: CKUserIdentity.LookupInfo? = nil,
    nameComponents: PersonNameComponents? = nil
  ) {
    self.userRecordID = userRecordID
    self.lookupInfo = lookupInfo
    self.nameComponents = nameComponents
  }

  // MARK: Archives

  /// Reads an identity from an archive.
  public required init?(coder: NSCoder) {
    userRecordID = coder.object(CKRecord.ID.self, Key.userRecordID)
    lookupInfo = coder.object(CKUserIdentity.LookupInfo.self, Key.lookupInfo)
    nameComponents = coder.object(NSPersonNameComponents.self, Key.nameComponents).map {
      $0 as PersonNameComponents
    }
  }

  /// Writes the identity into an archive.
  open func encode(with coder: NSCoder) {
    if let userRecordID { coder.encode(userRecordID, forKey: Key.userRecordID) }
    if let lookupInfo { coder.encode(lookupInfo, forKey: Key.lookupInfo) }
    if let nameComponents {
      coder.encode(nameComponents as NSPersonNameComponents, forKey: Key.nameComponents)
    }
  }

  private enum Key {
    static let userRecordID = "UserRecordID"
    static let lookupInfo = "LookupInfo"
    static let nameComponents = "NameComponents"
  }

  /// True: it holds names only.
  public static var supportsSecureCoding: Bool { true }

  /// The same: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether both are known to be one person.
  ///
  /// Where both have names, these say it: an address may have come to somebody else.
  func isSamePerson(as other: CKUserIdentity) -> Bool {
    if let userRecordID, userRecordID == other.userRecordID { return true }
    if let ownName, let otherName = other.ownName, ownName != otherName { return false }
    guard let lookupInfo, let others = other.lookupInfo else { return false }
    return lookupInfo.findsSame(as: others)
  }

  /// The name of the user's record; nil for the one that stands for whoever is signed in.
  private var ownName: String? {
    userRecordID.flatMap { $0.recordName == CKCurrentUserDefaultName ? nil : $0.recordName }
  }

  /// Two are equal where the same is known of them.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentity else { return false }
    return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
      && nameComponents == other.nameComponents
  }

  /// Equal ones have equal hashes.
  open override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }

  /// The user's record, or how they are looked for.
  open override var description: String {
    "<CKUserIdentity: \(userRecordID?.recordName ?? lookupInfo?.description ?? "unknown")>"
  }
}
