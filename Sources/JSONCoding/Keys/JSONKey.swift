/// The known keys of an object, or the known values of a string, as an enumeration.
///
///     enum ZoneKey: String, JSONKey {
///       case zoneName, ownerRecordName
///       static let table = JSONKeyTable<ZoneKey>()
///     }
public protocol JSONKey: CaseIterable, RawRepresentable, Sendable where RawValue == String {
  /// The lookup table of the keys, which is created once.
  static var table: JSONKeyTable<Self> { get }
}

/// A lookup table of a decoder's keys.
public struct JSONKeyTable<Key: JSONKey>: Sendable {
  @usableFromInline let keys: [Key]
  @usableFromInline let names: JSONNames

  /// Creates a table of all cases, at most 64.
  public init() {
    keys = Array(Key.allCases)
    names = JSONNames(keys.map(\.rawValue))
  }
}

/// The state of an object that is being read: the known keys that have appeared.
public struct JSONObject<Key: JSONKey>: Sendable {
  @usableFromInline let table = Key.table
  @usableFromInline var seen: UInt64 = 0
  /// The number of open containers, including this object.
  @usableFromInline let depth: Int

  @usableFromInline init(depth: Int) { self.depth = depth }
}
