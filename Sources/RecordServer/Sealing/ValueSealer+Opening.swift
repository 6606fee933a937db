import Cryptography
package import RecordStorage

extension ValueSealer {
  /// The source of a server's keys.
  package struct Source: Sendable {
    /// Keys that the operator keeps outside the storage: the first one seals, all open.
    ///
    /// If empty, the storage contains the server's key, so the key and the values can be stolen
    /// together.
    package var keys: [SealingKey] = []
    /// Whether a server may start without the last sealing key.
    package var acceptsLoss = false

    package init() {}
  }

  /// Loads the keys of a storage.
  ///
  /// The first start without an operator's keys creates a key. If several processes start at once,
  /// the first one creates the key, and the others find it.
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

  /// Loads the keys for a command-line tool, which changes nothing and may lack some of them.
  package static func openForTool(_ engine: any StorageEngine, _ source: Source = Source())
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
