import CloudRecords
import Cryptography
import RecordStorage

/// The secret that files' addresses and receipts are sealed with.
///
/// It is not the server's other one. When it is renewed, what the former one sealed is good for a
/// while.
final class AssetSecret: Sendable {
  private let known: KnownSecrets

  init(_ ring: SecretRing) { known = KnownSecrets(ring) }

  func learn(_ ring: SecretRing) { known.learn(ring) }

  /// The secret of a storage; made where there is none.
  ///
  /// Two servers that start on one empty storage agree: the first makes it, the other finds it.
  static func open(_ engine: any StorageEngine, fresh: [UInt8]) async throws -> AssetSecret {
    try await engine.write(in: AssetKeys.partition) { transaction in
      if let known = try transaction.value(of: AssetKeys.secret) {
        return AssetSecret(try SecretRing(form: known))
      }
      let ring = SecretRing(current: fresh)
      try transaction.set(ring.form, for: AssetKeys.secret)
      return AssetSecret(ring)
    }
  }

  /// A code that only this secret makes of a message.
  func code(of message: [UInt8]) -> [UInt8] {
    MessageAuthenticationCode.make(of: message, key: known.current)
  }

  // MARK: - Seals

  /// A text that says something and proves that this server wrote it.
  func seal(_ message: [UInt8]) -> String { Base64Address.text(code(of: message) + message) }

  /// What a sealed text says; nil where this server did not write it.
  func open(_ text: String, at now: Timestamp) -> [UInt8]? {
    let count = MessageAuthenticationCode.byteCount
    guard text.utf8.count <= Self.longestSeal, let bytes = Base64Address.bytes(text),
      bytes.count > count
    else {
      return nil
    }
    let message = Array(bytes[count...])
    let isGood = known.believed(at: now).contains { secret in
      ConstantTime.areEqual(
        Array(bytes[..<count]), MessageAuthenticationCode.make(of: message, key: secret))
    }
    return isGood ? message : nil
  }

  /// Longer than any that is made: four names of 255 bytes, and numbers.
  private static let longestSeal = 2_048
}
