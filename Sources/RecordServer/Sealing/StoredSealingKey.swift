import BinaryCoding
import CloudRecords
import Cryptography
import RecordStorage

/// The stored data about the key that seals values.
struct StoredSealingKey: Hashable, Sendable {
  /// The server's own key; nil if only the operator has keys.
  var secret: [UInt8]?
  /// The identifier of the current sealing key.
  var current: [UInt8]
  /// Whether all values are known to be sealed under the current key.
  ///
  /// Values whose key was missing are ignored.
  var isOnlyKeyInUse = false

  var own: SealingKey? { secret.map { SealingKey(SecretBytes($0)) } }

  private static let version: UInt8 = 1

  var form: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.optional(secret) { $0.data($1) }
    form.data(current)
    form.byte(isOnlyKeyInUse ? 1 : 0)
    return form.bytes
  }

  init(secret: [UInt8]?, current: [UInt8]) {
    self.secret = secret
    self.current = current
  }

  init(form bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of the sealing key")
    }
    secret = try form.optional { (form) throws(BinaryCodingError) in try form.data() }
    current = try form.data()
    isOnlyKeyInUse = try form.byte() == 1
    guard form.isAtEnd, secret.map({ $0.count == SealingKey.byteCount }) ?? true else {
      throw form.error("a sealing key of another length")
    }
  }
}

// MARK: - Storage

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

// MARK: - Start

extension StoredSealingKey {
  /// Determines the sealing key of a server that starts.
  ///
  /// A former key may have been missing when values were last resealed, so each start with several
  /// keys reseals all values again. Afterwards the operator can remove the former keys.
  ///
  /// - Parameters:
  ///   - known: The stored data; nil if nothing was ever sealed.
  ///   - source: The operator's keys.
  ///   - fresh: Random bytes for a new key.
  /// - Throws: If the last sealing key is missing, since reading its values would fail, unless the
  ///   operator accepts that loss.
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
      (starting.current, starting.isOnlyKeyInUse) = (current, false)
    }
    return starting
  }

  /// The data after all values were sealed under the current key.
  ///
  /// The server's own key is removed if an operator's key replaced it.
  var withOnlyKeyInUse: StoredSealingKey {
    var sealed = self
    sealed.isOnlyKeyInUse = true
    if own?.identifier != current { sealed.secret = nil }
    return sealed
  }

  /// All available keys.
  func keys(_ source: ValueSealer.Source) -> [SealingKey] { source.keys + [own].compactMap(\.self) }

  /// The error if the operator did not provide the required key.
  var missing: CloudError {
    CloudError(
      .internalError,
      "The encrypted values of this server are sealed under the key \(Hexadecimal.text(current)), which was not given. Name the file that has it with --sealing-key-file; to replace the key, put the new one first in the file and this one in a later line. If it is lost, --accept-lost-sealing-key starts the server without it: the values that it sealed cannot be read until it is found."
    )
  }
}
