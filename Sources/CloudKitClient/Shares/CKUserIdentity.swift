public import Foundation

// Sendable: immutable.
/// The identity of a user, as far as the current user may know it.
open class CKUserIdentity: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The ID of the user's record; nil for an invited person whose account is not known.
  public let userRecordID: CKRecord.ID?
  /// The information by which the user was looked up, if any.
  public let lookupInfo: CKUserIdentity.LookupInfo?
  /// The user's name, if the user is discoverable.
  public let nameComponents: PersonNameComponents?

  /// Whether the identity belongs to a known account.
  open var hasiCloudAccount: Bool { userRecordID != nil }

  /// The identifiers of matching contacts.
  ///
  /// Empty, because there is no address book on this platform.
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

  /// Creates an identity from an archive.
  public required init?(coder: NSCoder) {
    userRecordID = coder.object(CKRecord.ID.self, Key.userRecordID)
    lookupInfo = coder.object(CKUserIdentity.LookupInfo.self, Key.lookupInfo)
    nameComponents = coder.object(NSPersonNameComponents.self, Key.nameComponents).map {
      $0 as PersonNameComponents
    }
  }

  /// Encodes the identity into an archive.
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

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the identity itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether both are known to be the same person.
  ///
  /// Record names decide if both have one: an address may have passed to another person.
  func isSamePerson(as other: CKUserIdentity) -> Bool {
    if let userRecordID, userRecordID == other.userRecordID { return true }
    if let ownName, let otherName = other.ownName, ownName != otherName { return false }
    guard let lookupInfo, let others = other.lookupInfo else { return false }
    return lookupInfo.findsSame(as: others)
  }

  /// The user's record name; nil for the placeholder of the current user.
  private var ownName: String? {
    userRecordID.flatMap { $0.recordName == CKCurrentUserDefaultName ? nil : $0.recordName }
  }

  /// Whether two identities have the same values.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentity else { return false }
    return userRecordID == other.userRecordID && lookupInfo == other.lookupInfo
      && nameComponents == other.nameComponents
  }

  /// A hash that is the same for equal identities.
  open override var hash: Int { userRecordID?.hash ?? lookupInfo?.hash ?? 0 }

  /// The user's record name or lookup information.
  open override var description: String {
    "<CKUserIdentity: \(userRecordID?.recordName ?? lookupInfo?.description ?? "unknown")>"
  }
}
