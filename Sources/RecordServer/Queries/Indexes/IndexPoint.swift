import CloudRecords
import RecordStorage

/// The position of a value in an index: bytes in the order of queries.
///
/// | value | bytes |
/// |---|---|
/// | string, reference | 1 or 5; the first bytes of its UTF-8, escaped and terminated as in a key |
/// | bytes | 4; the first of them, likewise |
/// | number | 2; as a double, so that integers and doubles share an order |
/// | date | 3; milliseconds |
/// | location | 6; latitude, longitude |
/// | no value | F0: after all others |
///
/// Long texts, and integers that a double cannot represent, share a point with others: an index
/// finds candidates, which are checked again.
struct IndexPoint: Hashable {
  private enum Kind: UInt8 {
    case string = 1
    case number = 2
    case time = 3
    case bytes = 4
    case reference = 5
    case place = 6
    case nothing = 0xF0
  }

  let bytes: [UInt8]

  private init(_ kind: Kind, _ append: (inout StorageKey) -> Void = { _ in }) {
    var key = StorageKey(bytes: [kind.rawValue])
    append(&key)
    bytes = key.bytes
  }

  /// The point of records without a value.
  static let nothing = IndexPoint(.nothing)

  /// Creates the point of a value; nil for lists and files, which have none.
  init?(_ value: FieldValue) {
    switch value {
    case .string(let text): self.init(.string) { $0.append(bytes: Self.start(of: text.utf8)) }
    case .bytes(let bytes): self.init(.bytes) { $0.append(bytes: Self.start(of: bytes)) }
    case .reference(let reference):
      self.init(.reference) { $0.append(bytes: Self.start(of: reference.recordName.utf8)) }
    case .int64(let number): self.init(.number) { $0.append(double: Double(number)) }
    case .double(let number): self.init(.number) { $0.append(double: Self.unsigned(zero: number)) }
    case .timestamp(let time): self.init(.time) { $0.append(signed: time.milliseconds) }
    case .location(let place):
      self.init(.place) {
        $0.append(double: Self.unsigned(zero: place.latitude))
        $0.append(double: Self.unsigned(zero: place.longitude))
      }
    case .asset, .list: return nil
    }
  }

  private static func start(of bytes: some Sequence<UInt8>) -> [UInt8] {
    Array(bytes.prefix(ServerLimits.indexedBytes))
  }

  /// Positive and negative zero are equal in queries.
  private static func unsigned(zero number: Double) -> Double { number == 0 ? 0 : number }
}

// MARK: - Keys

extension IndexPoint {
  /// Reads the next point from a key.
  init(in key: Span<UInt8>, _ reader: inout StorageKeyReader) throws(StorageError) {
    let start = reader.offset
    switch Kind(rawValue: try reader.byte(in: key)) {
    case .string, .bytes, .reference: _ = try reader.bytes(in: key)
    case .number, .time: _ = try reader.unsigned(in: key)
    case .place:
      _ = try reader.unsigned(in: key)
      _ = try reader.unsigned(in: key)
    case .nothing: break
    case nil:
      throw StorageError(
        .damaged, "an entry of an index has an unknown kind of value; restore a backup")
    }
    bytes = (start..<reader.offset).map { key[$0] }
  }

  /// Below this limit a double represents every integer.
  private static let wholeNumbers = 0x1p53

  /// Whether only equal values have this point.
  var isExact: Bool {
    var reader = StorageKeyReader()
    switch (try? reader.byte(in: bytes.span)).flatMap({ Kind(rawValue: $0) }) {
    case .string, .bytes, .reference:
      return (try? reader.bytes(in: bytes.span)).map { $0.count < ServerLimits.indexedBytes }
        ?? false
    case .number:
      return (try? reader.double(in: bytes.span)).map { abs($0) < Self.wholeNumbers } ?? false
    case .time, .place, .nothing: return true
    case nil: return false
    }
  }
}

/// A half-open range of points, as bytes after an index's prefix.
struct IndexRange: Hashable {
  var lower: [UInt8]
  var upper: [UInt8]

  /// The points with a byte prefix.
  init(prefix: [UInt8]) {
    lower = prefix
    upper = Self.end(of: prefix)
  }

  init(_ point: IndexPoint) { self.init(prefix: point.bytes) }

  /// The points of all values.
  static let values: IndexRange = {
    var range = IndexRange(prefix: [])
    range.upper = IndexPoint.nothing.bytes
    return range
  }()

  /// The points of values of the same kind as a point.
  init(kindOf point: IndexPoint) { self.init(prefix: Array(point.bytes.prefix(1))) }

  /// The texts with a given prefix.
  init(beginningLike text: IndexPoint) {
    // All texts that begin with a truncated one share its point. The terminator of a shorter one is
    // removed.
    self.init(prefix: text.isExact ? Array(text.bytes.dropLast()) : text.bytes)
  }

  /// Removes the points before a given one.
  mutating func begin(at point: IndexPoint) {
    if lower.lexicographicallyPrecedes(point.bytes) { lower = point.bytes }
  }

  /// Removes the points after a given one.
  mutating func end(with point: IndexPoint) {
    let end = Self.end(of: point.bytes)
    if end.lexicographicallyPrecedes(upper) { upper = end }
  }

  var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

  /// The least bytes greater than all with this prefix.
  ///
  /// For an empty prefix this is FF, with which no point begins.
  private static func end(of prefix: [UInt8]) -> [UInt8] {
    StorageRange(prefix: StorageKey(bytes: prefix)).upper?.bytes ?? [0xFF]
  }

  func storage(after prefix: StorageKey) -> StorageRange {
    StorageRange(
      from: StorageKey(bytes: prefix.bytes + lower), to: StorageKey(bytes: prefix.bytes + upper))
  }
}
