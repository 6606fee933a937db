private import CSodium

/// What is kept of a password: Argon2id's digest with its salt and cost.
///
/// Its text is the usual one, `$argon2id$v=19$m=65536,t=3,p=1$salt$digest`, so that a cost which is
/// raised later leaves older hashes good.
package struct PasswordHash: Hashable, Sendable {
  package let text: String

  /// A hash that was kept.
  package init(text: String) { self.text = text }

  /// The hash of a password, with a new salt; nil where the system has no memory for it.
  package init?(of password: [UInt8], cost: Cost) {
    Sodium.start()
    var text = [CChar](repeating: 0, count: Sodium.textBytes)
    let status = unsafe Sodium.withCharacters(password) { characters, count in
      unsafe crypto_pwhash_str(&text, characters, count, cost.passes, cost.memoryBytes)
    }
    guard status == 0 else { return nil }
    self.text = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether it is the hash of a password.
  ///
  /// It takes as long for a wrong password as for the right one.
  package func verifies(_ password: [UInt8]) -> Bool {
    Sodium.start()
    return unsafe Sodium.withCharacters(password) { characters, count in
      unsafe crypto_pwhash_str_verify(text, characters, count) == 0
    }
  }

  /// Whether it was made at another cost than is usual now.
  package func needsRenewal(at cost: Cost) -> Bool {
    Sodium.start()
    return unsafe crypto_pwhash_str_needs_rehash(text, cost.passes, cost.memoryBytes) != 0
  }
}

/// libsodium's conventions for passwords.
extension Sodium {
  fileprivate static let textBytes = Int(crypto_pwhash_STRBYTES)

  fileprivate static func withCharacters<Result>(
    _ bytes: [UInt8], _ body: (UnsafePointer<CChar>, UInt64) -> Result
  ) -> Result {
    // One byte more, so that an empty password has an address, too.
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("An array that is not empty has an address.")
      }
      return unsafe body(start, UInt64(bytes.count))
    }
  }
}
