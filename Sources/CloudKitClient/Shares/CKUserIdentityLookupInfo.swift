public import Foundation

extension CKUserIdentity {
  /// How somebody is looked for.
  public typealias LookupInfo = CKUserIdentityLookupInfo
}

// Sendable: immutable.
/// How somebody is looked for: by a mail address, a telephone number or a user record, of which it
/// has one.
///
/// It is `CKUserIdentity.LookupInfo`.
public final class CKUserIdentityLookupInfo: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The mail address.
  public let emailAddress: String?
  /// The telephone number.
  public let phoneNumber: String?
  /// The name of the user's record.
  public let userRecordID: CKRecord.ID?

  /// Looks for whoever signs in with a mail address.
  public init(emailAddress: String) {
    self.emailAddress = emailAddress
    phoneNumber = nil
    userRecordID = nil
  }

  /// Looks for whoever has a telephone number.
  public init(phoneNumber: String) {
    emailAddress = nil
    self.phoneNumber = phoneNumber
    userRecordID = nil
  }

  /// Looks for the user of a record.
  public init(userRecordID: CKRecord.ID) {
    emailAddress = nil
    phoneNumber = nil
    self.userRecordID = userRecordID
  }

  /// Looks for those who sign in with mail addresses.
  public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
    emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
  }

  /// Looks for those who have telephone numbers.
  public class func lookupInfos(withPhoneNumbers phoneNumbers: [String])
    -> [CKUserIdentityLookupInfo]
  {
    phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
  }

  /// Looks for the users of records.
  public class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
    recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
  }

  // MARK: Archives

  /// Reads what somebody is looked for by from an archive; nil where it holds nothing.
  public convenience init?(coder: NSCoder) {
    if let emailAddress = coder.text(Key.emailAddress) {
      self.init(emailAddress: emailAddress)
    } else if let phoneNumber = coder.text(Key.phoneNumber) {
      self.init(phoneNumber: phoneNumber)
    } else if let userRecordID = coder.object(CKRecord.ID.self, Key.userRecordID) {
      self.init(userRecordID: userRecordID)
    } else {
      return nil
    }
  }

  /// Writes what somebody is looked for by into an archive.
  public func encode(with coder: NSCoder) {
    if let emailAddress { coder.encode(emailAddress as NSString, forKey: Key.emailAddress) }
    if let phoneNumber { coder.encode(phoneNumber as NSString, forKey: Key.phoneNumber) }
    if let userRecordID { coder.encode(userRecordID, forKey: Key.userRecordID) }
  }

  private enum Key {
    static let emailAddress = "EmailAddress"
    static let phoneNumber = "PhoneNumber"
    static let userRecordID = "UserRecordID"
  }

  /// True: it holds texts only.
  public static var supportsSecureCoding: Bool { true }

  /// The same: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether both find the same person: capital letters of a mail address do not count.
  func findsSame(as other: CKUserIdentityLookupInfo) -> Bool {
    emailAddress?.lowercased() == other.emailAddress?.lowercased()
      && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  /// Two are equal where they look for the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentityLookupInfo else { return false }
    return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  /// Equal ones have equal hashes.
  public override var hash: Int {
    (emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "").hashValue
  }

  /// What somebody is looked for by.
  public override var description: String {
    "<CKUserIdentityLookupInfo: \(emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "nothing")>"
  }
}
