import CloudRecords
import Cryptography
import RecordStorage

/// The secret that seals addresses and receipts of files.
///
/// It is separate from the server's other secrets. After a renewal, the former one stays valid for
/// a while.
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

  /// Seals a message: a text that proves that this server created it.
  func seal(_ message: [UInt8]) -> String { Base64Address.text(code(of: message) + message) }

  /// Opens a sealed message; nil if this server did not create it.
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

  /// Longer than any real one: four names of 255 bytes, and numbers.
  private static let longestSeal = 2_048
}
