import CloudRecords

/// Why bytes are no form, as the end of a sentence.
struct FormDamage: Error {
  let reason: String
}

/// Takes a form apart, strictly: what a `FormWriter` would have written otherwise is damage.
struct FormReader {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  /// What was read so far.
  var consumed: [UInt8] { Array(bytes[..<position]) }

  mutating func byte() throws(FormDamage) -> UInt8 {
    guard position < bytes.count else { throw FormDamage(reason: "ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(FormDamage) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try byte()
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1, shift <= 63 else { throw FormDamage(reason: "has a number that is too large") }
      value |= part << shift
      if byte & 0x80 == 0 {
        guard byte != 0 || shift == 0 else { throw FormDamage(reason: "has a number that is longer than it need be") }
        return value
      }
      shift += 7
    }
  }

  /// How many of something follow, each of which has a byte at least.
  mutating func count() throws(FormDamage) -> Int {
    let value = try number()
    guard value <= UInt64(bytes.count - position) else { throw FormDamage(reason: "ends too early") }
    return Int(value)
  }

  mutating func signed() throws(FormDamage) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func double() throws(FormDamage) -> Double {
    var bits: UInt64 = 0
    for byte in try fixed(8).reversed() { bits = bits << 8 | UInt64(byte) }
    return Double(bitPattern: bits)
  }

  mutating func text() throws(FormDamage) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else {
      throw FormDamage(reason: "has a text that is not UTF-8")
    }
    return text
  }

  mutating func data() throws(FormDamage) -> [UInt8] { try fixed(try count()) }

  mutating func fixed(_ count: Int) throws(FormDamage) -> [UInt8] {
    guard count <= bytes.count - position else { throw FormDamage(reason: "ends too early") }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func optional<Value>(
    _ read: (inout FormReader) throws(FormDamage) -> Value
  ) throws(FormDamage) -> Value? {
    switch try byte() {
    case 0: return nil
    case 1: return try read(&self)
    default: throw FormDamage(reason: "has a mark that is neither yes nor no")
    }
  }

  mutating func list<Value>(
    _ read: (inout FormReader) throws(FormDamage) -> Value
  ) throws(FormDamage) -> [Value] {
    var values: [Value] = []
    for _ in 0..<(try count()) { values.append(try read(&self)) }
    return values
  }

  mutating func container() throws(FormDamage) -> ContainerAddress {
    let name = try text()
    guard let environment = CloudEnvironment(rawValue: try text()) else {
      throw FormDamage(reason: "names an unknown environment")
    }
    return ContainerAddress(container: name, environment: environment)
  }

  mutating func zone() throws(FormDamage) -> RecordZoneIdentifier {
    let owner = try text()
    return RecordZoneIdentifier(zoneName: try text(), ownerName: owner)
  }

  /// The first two bytes of every form: what it is, and which version.
  mutating func heading(_ kind: FormKind) throws(FormDamage) -> UInt8 {
    guard try byte() == kind.rawValue else { throw FormDamage(reason: "is not \(kind.name)") }
    return try byte()
  }

  func requireEnd() throws(FormDamage) {
    guard isAtEnd else { throw FormDamage(reason: "has bytes behind its end") }
  }
}

/// The first byte of a form.
enum FormKind: UInt8 {
  case value = 0xE1
  case keyRing = 0xE2
  case publicIdentity = 0xE3
  case privateBag = 0xE4
  case storedKeys = 0xE5

  /// The only version that there is so far, of each but the file of keys.
  static let version: UInt8 = 1

  var name: String {
    switch self {
    case .value: "a sealed value"
    case .keyRing: "a bag of a zone's keys"
    case .publicIdentity: "a user's public key bag"
    case .privateBag: "a user's private key bag"
    case .storedKeys: "a file of keys"
    }
  }
}
