import CloudRecords

/// Appends the parts of a sealed or signed form to bytes.
///
/// Numbers are variable in length (seven bits a byte, lowest first), texts and bytes follow their length. A value has exactly one form, so that
/// two forms are the same exactly if what they say is.
struct FormWriter {
  private(set) var bytes: [UInt8] = []

  init() {}

  /// Begins with what the form is for, so that no form is taken for one of another kind.
  init(purpose: String) { text(purpose) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func count(_ value: Int) { number(UInt64(value)) }

  /// A number that may be negative: small ones of either sign are short.
  mutating func signed(_ value: Int64) { number(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  mutating func double(_ value: Double) {
    let bits = value.bitPattern
    for shift in stride(from: UInt64(0), to: 64, by: 8) { byte(UInt8(truncatingIfNeeded: bits >> shift)) }
  }

  mutating func text(_ value: String) { data(Array(value.utf8)) }

  mutating func data(_ value: [UInt8]) {
    count(value.count)
    bytes += value
  }

  /// Bytes of a length that the reader knows.
  mutating func fixed(_ value: [UInt8]) { bytes += value }

  /// A value that may be missing: a byte that says so, then the value.
  mutating func optional<Value>(_ value: Value?, _ write: (inout FormWriter, Value) -> Void) {
    guard let value else { return byte(0) }
    byte(1)
    write(&self, value)
  }

  mutating func container(_ address: ContainerAddress) {
    text(address.container)
    text(address.environment.rawValue)
  }

  mutating func zone(_ zone: RecordZoneIdentifier) {
    text(zone.ownerName)
    text(zone.zoneName)
  }
}
