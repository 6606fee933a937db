import CloudRecords
import Cryptography
import RecordStorage

/// The secret that authenticates addresses and receipts of files.
///
/// It is separate from the server's other secrets. After a renewal, the former one stays valid for
/// a while. Here a seal is an authentication code: the contents are readable.
final class AssetSecret: Sendable {
  private let known: KnownSecrets

  init(_ ring: SecretRing) { known = KnownSecrets(ring) }

  func learn(_ ring: SecretRing) { known.learn(ring) }

  /// Loads the secret of a storage, or creates it.
  ///
  /// Concurrent first starts agree: the first process creates it, and the others find it.
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

  /// The authentication code of a message under this secret.
  func code(of message: [UInt8]) -> [UInt8] {
    MessageAuthenticationCode.make(of: message, key: known.current)
  }

  // MARK: - Seals

  /// Returns a message with its authentication code, which proves that this server created it.
  func seal(_ message: [UInt8]) -> String { Base64Address.text(code(of: message) + message) }

  /// The message in a text from `seal`; nil if this server did not create it.
  func open(_ text: String, at now: Timestamp) -> [UInt8]? {
    let count = MessageAuthenticationCode.byteCount
    guard text.utf8.count <= Self.longestSeal, let bytes = Base64Address.bytes(text),
      bytes.count > count
    else {
      return nil
    }
    let message = Array(bytes[count...])
    let isGood = known.valid(at: now).contains { secret in
      ConstantTime.areEqual(
        Array(bytes[..<count]), MessageAuthenticationCode.make(of: message, key: secret))
    }
    return isGood ? message : nil
  }

  /// The maximum length of a sealed text, which has up to four names of 255 bytes, and numbers.
  private static let longestSeal = 2_048
}
