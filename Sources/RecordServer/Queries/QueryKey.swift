import CloudRecords

/// A hashable form of a value.
///
/// Two values other than lists have the same key if and only if queries consider them equal
/// (`FieldOrder.areEqual`).
enum QueryKey: Hashable, Sendable {
  case text(HashedBytes)
  case bytes(HashedBytes)
  case reference(HashedBytes)
  case file(HashedBytes)
  /// An integral number of either type.
  case whole(Int64)
  /// The bits of any other number.
  case fraction(UInt64)
  case time(Int64)
  /// The bits of latitude and longitude.
  case place(UInt64, UInt64)

  /// Creates the key of a value; nil for lists, and for NaN, which equals nothing.
  init?(_ value: FieldValue) {
    switch value {
    case .string(let text): self = .text(HashedBytes(Array(text.utf8)))
    case .bytes(let bytes): self = .bytes(HashedBytes(bytes))
    case .reference(let reference): self = .reference(HashedBytes(Array(reference.recordName.utf8)))
    case .asset(let asset): self = .file(HashedBytes(Array(asset.fileChecksum.utf8)))
    case .int64(let number): self = .whole(number)
    case .double(let number):
      guard !number.isNaN else { return nil }
      self = Int64(exactly: number).map { .whole($0) } ?? .fraction(number.bitPattern)
    case .timestamp(let time): self = .time(time.milliseconds)
    case .location(let place):
      guard !place.latitude.isNaN, !place.longitude.isNaN else { return nil }
      self = .place(Self.bits(place.latitude), Self.bits(place.longitude))
    case .list: return nil
    }
  }

  /// Positive and negative zero are equal in queries.
  private static func bits(_ number: Double) -> UInt64 { number == 0 ? 0 : number.bitPattern }
}

/// Bytes with a cached hash, since a long value may be looked up in many sets.
struct HashedBytes: Hashable, Sendable {
  private let bytes: [UInt8]
  private let hash: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  static func == (one: HashedBytes, other: HashedBytes) -> Bool {
    one.hash == other.hash && one.bytes == other.bytes
  }
}
