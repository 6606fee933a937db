/// HKDF with SHA-256 (RFC 5869): derives keys for several purposes from one random secret.
///
/// It is fast, so it is unsuitable for passwords, which use `PasswordHash`.
package enum KeyDerivation {
  /// Returns the key for one purpose.
  package static func derive(
    _ byteCount: Int = 32, from secret: SecretBytes, salt: [UInt8] = [], purpose: [UInt8]
  )
    -> SecretBytes
  {
    var material = secret.bytes
    var extracted = extract(salt: salt, material)
    var key = expand(extracted, purpose, byteCount)
    defer {
      SecretBytes.wipe(&material)
      SecretBytes.wipe(&extracted)
    }
    return SecretBytes(taking: &key)
  }

  static func extract(salt: [UInt8], _ material: [UInt8]) -> [UInt8] {
    MessageAuthenticationCode.make(of: material, key: salt)
  }

  static func expand(_ key: [UInt8], _ purpose: [UInt8], _ byteCount: Int) -> [UInt8] {
    precondition(
      (0...255 * MessageAuthenticationCode.byteCount).contains(byteCount),
      "HKDF gives 8,160 bytes at most.")
    var (result, block): ([UInt8], [UInt8]) = ([], [])
    var number: UInt8 = 1
    while result.count < byteCount {
      block = MessageAuthenticationCode.make(of: block + purpose + [number], key: key)
      result += block
      number &+= 1
    }
    return Array(result.prefix(byteCount))
  }
}
