import BinaryCoding
package import CloudRecords
import Cryptography

/// The public part of a key that an application's server signs requests with.
package struct ServerKey: Hashable, Sendable {
  /// 64 hexadecimal digits that identify the key in requests.
  package let identifier: String
  package let container: ContainerAddress
  package let realm: Realm
  /// The operators' label for the key.
  package var label: String
  /// The public key in DER.
  package let publicKey: [UInt8]
  package let created: Timestamp
  package var expires: Timestamp?
  package var revoked: Timestamp?

  /// Whether the key is valid.
  package func isGood(at now: Timestamp) -> Bool {
    revoked == nil && expires.map { now < $0 } ?? true
  }
}

/// A server key with its parsed public key, because parsing takes longer than a verification.
struct UsableServerKey: Sendable {
  let key: ServerKey
  let verifier: SignaturePublicKey
}

// MARK: - Stored encoding

extension ServerKey {
  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 256)
    form.byte(Self.version)
    form.text(identifier)
    container.write(to: &form)
    form.number(realm.number)
    form.text(label)
    form.data(publicKey)
    form.signed(created.milliseconds)
    form.optional(expires) { $0.signed($1.milliseconds) }
    form.optional(revoked) { $0.signed($1.milliseconds) }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of server key")
    }
    identifier = try form.text()
    container = try ContainerAddress(from: &form)
    realm = Realm(number: try form.number())
    label = try form.text()
    publicKey = try form.data()
    created = Timestamp(milliseconds: try form.signed())
    expires = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    revoked = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a server key") }
  }
}
