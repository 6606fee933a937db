import CloudRecords
package import Cryptography

/// The identifier of a key, which reveals nothing about the key.
///
/// It is derived from the key, so no key can get the identifier of another one.
package struct KeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  static let byteCount = SealedValueHeader.keyByteCount

  package let bytes: [UInt8]

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// A key that seals values.
package struct ZoneKey: Hashable, Sendable {
  static let byteCount = 32

  package let identifier: KeyIdentifier
  /// The secret that is sealed to recipients.
  let secret: SecretBytes
  /// The derived key that seals values.
  package let valueKey: SecretBytes

  package init(_ secret: SecretBytes) {
    self.secret = secret
    let name = KeyDerivation.derive(
      KeyIdentifier.byteCount, from: secret, purpose: Array("parhelion.zone-key.identifier.1".utf8))
    identifier = KeyIdentifier(unchecked: name.bytes)
    valueKey = KeyDerivation.derive(
      from: secret, purpose: Array("parhelion.zone-key.values.1".utf8))
  }

  package static func == (one: ZoneKey, other: ZoneKey) -> Bool {
    one.identifier == other.identifier
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
