private import CSodium

/// The stored form of a password: Argon2id's digest with its salt and cost.
///
/// The text has the form `$argon2id$v=19$m=65536,t=3,p=1$salt$digest`. It contains the cost, so
/// older hashes stay valid after the cost is raised.
package struct PasswordHash: Hashable, Sendable {
  package let text: String

  /// Creates a hash from its stored text.
  package init(text: String) { self.text = text }

  /// Hashes a password with a new salt, or returns nil if the system lacks the memory.
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

  /// Returns whether a password matches.
  ///
  /// A wrong password takes as long as the right one. If the system lacks the memory, the result is
  /// false: libsodium 1.0.18 reports that like a mismatch.
  package func verifies(_ password: [UInt8]) -> Bool {
    Sodium.start()
    return unsafe Sodium.withCharacters(password) { characters, count in
      unsafe crypto_pwhash_str_verify(text, characters, count) == 0
    }
  }

  /// Returns whether the hash was made at another cost.
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
    // One more byte, so that an empty password has an address too.
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("An array that is not empty has an address.")
      }
      return unsafe body(start, UInt64(bytes.count))
    }
  }
}
