package import CloudRecords
package import Cryptography

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
    identifier = KeyIdentifier(name.bytes)
    valueKey = KeyDerivation.derive(
      from: secret, purpose: Array("parhelion.zone-key.values.1".utf8))
  }

  package static func == (one: ZoneKey, other: ZoneKey) -> Bool {
    one.identifier == other.identifier
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
