import BinaryCoding
package import CloudRecords
import Cryptography

/// A person's account on the server, for all of its containers.
package struct Account: Hashable, Sendable {
  /// 32 hexadecimal digits that applications never see.
  package let identifier: String
  /// An e-mail address or a plain name.
  package var name: String
  package var nameComponents: UserIdentity.NameComponents?
  package let created: Timestamp
  /// The time at which an administrator disabled the account; nil while it is enabled.
  package var disabled: Timestamp?
  /// Whether an administrator confirmed that the name is the person's e-mail address.
  package var hasProvenAddress: Bool
  /// Whether others can find the person by a proven address or a user record name.
  package var isDiscoverable = false
  var password: PasswordHash
}

// MARK: - Stored encoding

extension Account {
  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 256)
    form.byte(Self.version)
    form.text(identifier)
    form.text(name)
    ShareEncoding.write(&form, UserIdentity(nameComponents: nameComponents))
    form.signed(created.milliseconds)
    form.optional(disabled) { $0.signed($1.milliseconds) }
    form.byte(hasProvenAddress ? 1 : 0)
    form.text(password.text)
    form.byte(isDiscoverable ? 1 : 0)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of account") }
    identifier = try form.text()
    name = try form.text()
    nameComponents = try ShareEncoding.identity(from: &form).nameComponents
    created = Timestamp(milliseconds: try form.signed())
    disabled = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    hasProvenAddress = try form.byte() == 1
    password = PasswordHash(text: try form.text())
    isDiscoverable = try form.byte() == 1
    guard form.isAtEnd else { throw form.error("bytes after the end of an account") }
  }
}
