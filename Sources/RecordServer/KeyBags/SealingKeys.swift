import CloudRecords
import RecordStorage

/// Checks that values are sealed under keys that are still used.
///
/// The bag of a zone or share names these keys. The server rejects a value under a key that a
/// removed participant knows, whichever device sends it.
struct SealingKeys {
  private let keys: ZoneKeys
  private let transaction: any StorageReading
  /// The identifiers of the keys that may seal, by share; the zone's for nil.
  private var known: [String?: Set<[UInt8]>] = [:]

  init(of keys: ZoneKeys, in transaction: any StorageReading) {
    self.keys = keys
    self.transaction = transaction
  }

  /// Throws if a value is sealed under a key that its bag does not name.
  ///
  /// Values that no device has sealed, and bags that name no keys, are not checked.
  mutating func check(_ field: Field, named name: String) throws {
    guard field.isEncrypted, let header = SealedValueHeader(of: field.value) else { return }
    let usable = try usableKeys(ofShare: header.shareName)
    guard !usable.isEmpty, !usable.contains(header.key.bytes) else { return }
    throw CloudError(
      .tryAgainLater,
      """
      The value of “\(name)” is sealed under a key that is no longer used. Fetch the key bag of \
      the zone or share, and seal the value under its newest key.
      """,
      extension: .keyRetired)
  }

  private mutating func usableKeys(ofShare name: String?) throws -> Set<[UInt8]> {
    if let keys = known[name] { return keys }
    let bag = try transaction.value(of: keys.keyBag(ofShare: name)).map {
      try StoredKeyBag(bytes: $0)
    }
    let usable = Set(bag.map { $0.isGone ? [] : $0.sealingKeys } ?? [])
    known[name] = usable
    return usable
  }
}
