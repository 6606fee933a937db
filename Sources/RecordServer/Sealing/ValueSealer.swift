import CloudRecords
import Cryptography

/// Seals values under the server's key, and opens them.
///
/// ```
/// 1 byte    1, the version of this form
/// 8 bytes   the key's identifier
/// 24 bytes  a random nonce
/// the rest  XChaCha20-Poly1305 of the value, with its place as associated data
/// ```
///
/// Values are sealed under one key, and opened with it or with former keys. A command-line tool may
/// have no key: it can copy sealed values, but not open them.
package final class ValueSealer: Sendable {
  /// The sealing key; nil if the operator keeps it and did not provide it.
  package let current: SealingKey?
  private let known: [[UInt8]: SealingKey]
  private let randomBytes: @Sendable (Int) -> [UInt8]

  private static let form: UInt8 = 1
  private static let headByteCount = 1 + SealingKey.identifierByteCount

  /// The number of bytes that sealing adds.
  static let overheadByteCount =
    headByteCount + AuthenticatedEncryption.nonceByteCount + AuthenticatedEncryption.tagByteCount

  /// Creates a sealer.
  ///
  /// - Parameter former: Keys that open values but no longer seal any.
  package init(
    _ current: SealingKey?, former: [SealingKey] = [],
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
  ) {
    self.current = current
    self.randomBytes = randomBytes
    known = Dictionary(
      (former + [current].compactMap(\.self)).map { ($0.identifier, $0) },
      uniquingKeysWith: { _, last in last })
  }

  /// Whether the key with an identifier is available.
  func has(_ identifier: [UInt8]) -> Bool { known[identifier] != nil }

  /// Seals a value for a place.
  ///
  /// - Returns: Nil without a key.
  func seal(_ value: [UInt8], at place: [UInt8]) -> [UInt8]? {
    guard let current else { return nil }
    let nonce = randomBytes(AuthenticatedEncryption.nonceByteCount)
    return [Self.form] + current.identifier + nonce
      + AuthenticatedEncryption.seal(value, key: current.secret, nonce: nonce, associated: place)
  }

  /// Opens a value that was sealed for a place.
  func open(_ sealed: [UInt8], at place: [UInt8]) throws(SealError) -> [UInt8] {
    guard let identifier = Self.key(of: sealed) else { throw .damage }
    guard let key = known[identifier] else { throw .missingKey(identifier) }
    let rest = sealed.dropFirst(Self.headByteCount)
    let nonce = Array(rest.prefix(AuthenticatedEncryption.nonceByteCount))
    let opened = AuthenticatedEncryption.open(
      Array(rest.dropFirst(nonce.count)), key: key.secret, nonce: nonce, associated: place)
    guard let opened else { throw .damage }
    return opened
  }

  /// The identifier of a sealed value's key; nil if it is not a sealed value.
  static func key(of sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= overheadByteCount, sealed[0] == form else { return nil }
    return Array(sealed[1..<headByteCount])
  }
}

/// The reason why a sealed value cannot be opened.
enum SealError: Error, Hashable {
  /// The server does not have the key with this identifier.
  case missingKey([UInt8])
  /// The value is corrupt, or was sealed for another place.
  case damage
}
