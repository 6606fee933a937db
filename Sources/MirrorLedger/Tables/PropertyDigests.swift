import ObjectRows
import SQLiteDriver

/// Digests of the server's last known values of an object, by property bits (`LedgerNames`).
///
/// The file has nine bytes for each: the bit, and the digest in little-endian order.
struct PropertyDigests: Hashable, Sendable {
  private(set) var byBit: [UInt8: UInt64] = [:]

  init() {}

  init(_ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count - 8, by: 9) {
      byBit[bytes[start]] = (1...8).reduce(0) {
        $0 | UInt64(bytes[start + $1]) << UInt64(8 * ($1 - 1))
      }
    }
  }

  /// Creates digests by bit; properties that share the last bit have none.
  init(_ byOrdinal: [Int: UInt64], _ names: LedgerNames, _ layoutIndex: Int) {
    for (ordinal, digest) in byOrdinal where ordinal < names.propertyCount(layoutIndex) {
      guard let bit = names.bit(ordinal, layoutIndex), bit < LedgerLimits.properties - 1 else {
        continue
      }
      byBit[UInt8(bit)] = digest
    }
  }

  package func byOrdinal(_ names: LedgerNames, _ layoutIndex: Int) -> [Int: UInt64] {
    var found: [Int: UInt64] = [:]
    for (bit, digest) in byBit {
      if let ordinal = names.ordinal(ofBit: Int(bit), layoutIndex) { found[ordinal] = digest }
    }
    return found
  }

  package mutating func merge(_ newer: PropertyDigests) {
    byBit.merge(newer.byBit) { _, new in new }
  }

  /// The value of the column.
  package var value: Value {
    guard !byBit.isEmpty else { return .null }
    return .blob(
      byBit.sorted { $0.key < $1.key }.flatMap { bit, digest in
        [bit] + (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) }
      })
  }
}
