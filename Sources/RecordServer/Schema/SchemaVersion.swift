internal import Cryptography

/// The version of a schema: the beginning of the hash of its text.
package struct SchemaVersion: Hashable, Sendable, CustomStringConvertible {
  private let digits: [UInt8]

  init(ofText text: [UInt8]) { digits = Array(DigestAlgorithm.sha256.hash(text).prefix(8)) }

  /// The combined version of several schemas.
  init(of versions: [SchemaVersion]) { self.init(ofText: versions.flatMap(\.digits)) }

  /// Sixteen hexadecimal digits.
  package var description: String { Hexadecimal.text(digits) }
}
