public import Foundation

extension CKUserIdentity {
  /// Information for looking up a user.
  public typealias LookupInfo = CKUserIdentityLookupInfo
}

// Sendable: immutable.
/// Information for looking up a user: an e-mail address, a phone number or a user record ID.
///
/// Also available as `CKUserIdentity.LookupInfo`.
public final class CKUserIdentityLookupInfo: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The e-mail address.
  public let emailAddress: String?
  /// The phone number.
  public let phoneNumber: String?
  /// The ID of the user's record.
  public let userRecordID: CKRecord.ID?

  /// Creates lookup information from an e-mail address.
  public init(emailAddress: String) {
    self.emailAddress = emailAddress
    phoneNumber = nil
    userRecordID = nil
  }

  /// Creates lookup information from a phone number.
  public init(phoneNumber: String) {
    emailAddress = nil
    self.phoneNumber = phoneNumber
    userRecordID = nil
  }

  /// Creates lookup information from the ID of a user record.
  public init(userRecordID: CKRecord.ID) {
    emailAddress = nil
    phoneNumber = nil
    self.userRecordID = userRecordID
  }

  /// Creates lookup information from e-mail addresses.
  public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
    emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
  }

  /// Creates lookup information from phone numbers.
  public class func lookupInfos(withPhoneNumbers phoneNumbers: [String])
    -> [CKUserIdentityLookupInfo]
  {
    phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
  }

  /// Creates lookup information from the IDs of user records.
  public class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
    recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
  }

  // MARK: Archives

  /// Creates lookup information from an archive; nil if the archive contains none.
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

  /// Encodes the lookup information into an archive.
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

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the lookup information itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether a lookup with either information finds the same person.
  ///
  /// E-mail addresses are compared without regard to case.
  func findsSame(as other: CKUserIdentityLookupInfo) -> Bool {
    emailAddress?.lowercased() == other.emailAddress?.lowercased()
      && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  /// Whether two objects have the same lookup information.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKUserIdentityLookupInfo else { return false }
    return emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
      && userRecordID == other.userRecordID
  }

  /// A hash that is the same for equal lookup information.
  public override var hash: Int {
    (emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "").hashValue
  }

  /// The value to look up.
  public override var description: String {
    "<CKUserIdentityLookupInfo: \(emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "nothing")>"
  }
}
