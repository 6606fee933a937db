import Cryptography
package import RecordStorage

extension ValueSealer {
  /// Where the keys of a server come from.
  package struct Source: Sendable {
    /// Keys that the operator keeps apart from the storage: the first one seals, all open.
    ///
    /// None, where the storage keeps the server's key, so that whoever has the one has the other.
    package var keys: [SealingKey] = []
    /// Whether a server starts without the key that its values were sealed under last.
    package var acceptsLoss = false

    package init() {}
  }

  /// The keys of a server that starts on a storage; at the first start without keys of the
  /// operator's, makes one.
  ///
  /// Two servers that start on one empty storage agree: the first makes the key, the other finds
  /// it.
  package static func open(
    _ engine: any StorageEngine, _ source: Source = Source(),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
  ) async throws -> ValueSealer {
    let fresh = randomBytes(SealingKey.byteCount)
    let stored = try await engine.write(in: StoredSealingKey.partition) { transaction in
      let known = try StoredSealingKey.read(in: transaction)
      let starting = try StoredSealingKey.starting(from: known, source, fresh: fresh)
      if starting != known { try starting.save(in: transaction) }
      return starting
    }
    return sealer(stored, source, randomBytes)
  }

  /// The keys for a command beside the server, which changes nothing, and may not be given all.
  package static func openBeside(_ engine: any StorageEngine, _ source: Source = Source())
    async throws -> ValueSealer
  {
    let stored = try await engine.read(in: StoredSealingKey.partition) {
      try StoredSealingKey.read(in: $0)
    }
    guard let stored else { return ValueSealer(nil, former: source.keys) }
    return sealer(stored, source, { SecureRandom.bytes($0) })
  }

  private static func sealer(
    _ stored: StoredSealingKey, _ source: Source,
    _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) -> ValueSealer {
    let keys = stored.keys(source)
    return ValueSealer(
      keys.first { $0.identifier == stored.current }, former: keys, randomBytes: randomBytes)
  }
}
