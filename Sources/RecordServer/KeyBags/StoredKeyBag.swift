import BinaryCoding
import CloudRecords
import RecordStorage

/// Keys that clients have sealed for each other, as received.
struct StoredKeyBag: Hashable, Sendable {
  /// The number of the bag among the bags of its place.
  ///
  /// It counts from one or from the base of the history, so that no lost bag had the same number.
  var generation: Int64
  var modified: Timestamp
  /// Empty if the bag's share has ended.
  var data: [UInt8]
  /// The identifiers of the keys that may seal values; empty for no restriction.
  var sealingKeys: [[UInt8]]

  /// Whether the bag was removed.
  ///
  /// A new one in its place continues its generations.
  var isGone: Bool { data.isEmpty }

  private static let version: UInt8 = 1

  init(generation: Int64, modified: Timestamp, data: [UInt8], sealingKeys: [[UInt8]] = []) {
    self.generation = generation
    self.modified = modified
    self.data = data
    self.sealingKeys = sealingKeys
  }

  /// The generation of the bag that replaces another one.
  static func generation(after former: Int64, in history: StoreHistory) -> Int64 {
    // The former generation may come from a client, so the sum must not overflow.
    min(max(former, Int64(clamping: history.base)), .max - 1) + 1
  }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: data.count + 24)
    form.byte(Self.version)
    form.signed(generation)
    form.signed(modified.milliseconds)
    form.data(data)
    form.count(sealingKeys.count)
    for key in sealingKeys { form.data(key) }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of key bag") }
    generation = try form.signed()
    modified = Timestamp(milliseconds: try form.signed())
    data = try form.data()
    sealingKeys = try form.list { (form) throws(BinaryCodingError) in try form.data() }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a key bag") }
  }
}
