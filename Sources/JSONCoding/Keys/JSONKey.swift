/// The keys that a decoder knows in one object, or the words that it knows in one place, as an
/// enumeration.
///
///     enum ZoneKey: String, JSONKey {
///       case zoneName, ownerRecordName
///       static let table = JSONKeyTable<ZoneKey>()
///     }
public protocol JSONKey: CaseIterable, RawRepresentable, Sendable where RawValue == String {
  /// Finds the keys by their bytes; made once.
  static var table: JSONKeyTable<Self> { get }
}

/// The keys of a decoder, ready to be found.
public struct JSONKeyTable<Key: JSONKey>: Sendable {
  @usableFromInline let keys: [Key]
  @usableFromInline let names: JSONNames

  /// A table of all cases: no more than 64.
  public init() {
    keys = Array(Key.allCases)
    names = JSONNames(keys.map(\.rawValue))
  }
}

/// An object that is being read: which of its known keys have been seen.
public struct JSONObject<Key: JSONKey>: Sendable {
  @usableFromInline let table = Key.table
  @usableFromInline var seen: UInt64 = 0
  /// How many containers are open inside of it, itself among them.
  @usableFromInline let depth: Int

  @usableFromInline init(depth: Int) { self.depth = depth }
}
