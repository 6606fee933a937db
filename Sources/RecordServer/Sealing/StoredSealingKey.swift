import BinaryCoding
import CloudRecords
import Cryptography
import RecordStorage

/// What a storage knows of the key that its values are sealed under.
struct StoredSealingKey: Hashable, Sendable {
  /// The server's own key; nil where only the operator has keys.
  var secret: [UInt8]?
  /// The identifier of the key that values are sealed under.
  var current: [UInt8]
  /// Whether all values were seen to lie under it, but for those whose key was not there.
  var isUsedAlone = false

  var own: SealingKey? { secret.map { SealingKey(SecretBytes($0)) } }

  private static let version: UInt8 = 1

  var form: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.optional(secret) { $0.data($1) }
    form.data(current)
    form.byte(isUsedAlone ? 1 : 0)
    return form.bytes
  }

  init(secret: [UInt8]?, current: [UInt8]) {
    self.secret = secret
    self.current = current
  }

  init(form bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.damage("an unknown form of the sealing key")
    }
    secret = try form.optional { (form) throws(BinaryCodingError) in try form.data() }
    current = try form.data()
    isUsedAlone = try form.byte() == 1
    guard form.isAtEnd, secret.map({ $0.count == SealingKey.byteCount }) ?? true else {
      throw form.damage("a sealing key of another length")
    }
  }
}

// MARK: - Its place

extension StoredSealingKey {
  static let partition = "_sealing"

  private static var key: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.sealingKey.rawValue)
  }

  static func read(in transaction: any StorageReading) throws -> StoredSealingKey? {
    try transaction.value(of: key).map { try StoredSealingKey(form: $0) }
  }

  func save(in transaction: any StorageWriting) throws { try transaction.set(form, for: Self.key) }
}

// MARK: - Starting

extension StoredSealingKey {
  /// What a server that starts seals under.
  ///
  /// A further key may be one that was lost when all values were looked through last, so with each
  /// they are looked through once more: what lies under it is sealed anew, and then its line can
  /// go.
  ///
  /// - Parameters:
  ///   - known: What the storage had; nil where nothing was ever sealed in it.
  ///   - source: What the operator gave.
  ///   - fresh: Random bytes, for a key where there is none.
  /// - Throws: Where the key that was used last is not there: a server without it would give errors
  ///   for all that it sealed.
  static func starting(
    from known: StoredSealingKey?, _ source: ValueSealer.Source, fresh: [UInt8]
  ) throws(CloudError) -> StoredSealingKey {
    if let known, !source.acceptsLoss,
      !known.keys(source).contains(where: { $0.identifier == known.current })
    {
      throw known.missing
    }
    var starting = known ?? StoredSealingKey(secret: nil, current: [])
    if source.keys.isEmpty, starting.secret == nil { starting.secret = fresh }
    let current = starting.keys(source)[0].identifier
    let hasOthers = starting.keys(source).contains { $0.identifier != current }
    if current != starting.current || hasOthers {
      (starting.current, starting.isUsedAlone) = (current, false)
    }
    return starting
  }

  /// Once all values lie under the current key: then the server's own one goes where the operator's
  /// has taken its place.
  var usedAlone: StoredSealingKey {
    var sealed = self
    sealed.isUsedAlone = true
    if own?.identifier != current { sealed.secret = nil }
    return sealed
  }

  /// All keys that there are.
  func keys(_ source: ValueSealer.Source) -> [SealingKey] { source.keys + [own].compactMap(\.self) }

  /// What an operator is told who did not give the key that is needed.
  var missing: CloudError {
    CloudError(
      .internalError,
      "The encrypted values of this server are sealed under the key \(Hexadecimal.text(current)), which was not given. Name the file that has it with --sealing-key-file; if another key is to take its place, it stands first in the file, and this one in a line behind it. Where it is lost, --accept-lost-sealing-key starts the server all the same: what was sealed under it cannot be read until it is found."
    )
  }
}
