/// Encodes a property list as objects, and the objects as bytes.
///
/// Equal scalars share one object, as in Apple's writer; containers are written at each occurrence.
/// A container precedes its contents, and a dictionary's keys precede its values.
struct BinaryPropertyListWriter {
  /// A scalar's identity: its encoded bytes.
  ///
  /// So `0` and `0.0`, or canonically equivalent texts, are different objects.
  private typealias Encoding = [UInt8]

  private enum Object {
    case scalar(Encoding)
    case container(kind: UInt8, count: Int, references: [Int])
  }

  private let limits: PropertyListLimits
  /// The number of values as the reader counts them: a shared scalar counts at each use.
  private var values = 0
  private var objects: [Object] = []
  private var scalars: [Encoding: Int] = [:]

  init(limits: PropertyListLimits) {
    self.limits = limits
  }

  mutating func write(_ value: PropertyList) throws(PropertyListError) -> [UInt8] {
    _ = try add(value, depth: 0)
    let bytes = layOut()
    guard bytes.count <= limits.maximumBytes else {
      throw PropertyListError(
        .limit,
        "The property list has \(bytes.count) bytes; at most \(limits.maximumBytes) are written.")
    }
    return bytes
  }

  private mutating func add(_ value: PropertyList, depth: Int) throws(PropertyListError) -> Int {
    values += 1
    guard depth <= limits.maximumDepth, values <= limits.maximumValues else {
      throw PropertyListError(
        .limit,
        """
        A property list has at most \(limits.maximumValues) values, nested at most \
        \(limits.maximumDepth) deep.
        """)
    }
    switch value {
    case .array(let elements):
      return try add(elements, kind: 0xA0, count: elements.count, depth: depth)
    case .set(let elements):
      return try add(elements, kind: 0xC0, count: elements.count, depth: depth)
    case .dictionary(let entries):
      // The reader counts a dictionary as an array of keys and an array of values.
      values += 1
      let ordered = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      let contents = ordered.map { PropertyList.string($0.key) } + ordered.map(\.value)
      return try add(contents, kind: 0xD0, count: entries.count, depth: depth)
    default: return addScalar(Self.encode(value))
    }
  }

  private mutating func add(
    _ contents: [PropertyList], kind: UInt8, count: Int, depth: Int
  ) throws(PropertyListError) -> Int {
    let index = objects.count
    objects.append(.container(kind: kind, count: count, references: []))
    var references: [Int] = []
    references.reserveCapacity(contents.count)
    for element in contents { references.append(try add(element, depth: depth + 1)) }
    objects[index] = .container(kind: kind, count: count, references: references)
    return index
  }

  private mutating func addScalar(_ encoding: Encoding) -> Int {
    if let index = scalars[encoding] { return index }
    objects.append(.scalar(encoding))
    scalars[encoding] = objects.count - 1
    return objects.count - 1
  }

  private func layOut() -> [UInt8] {
    let referenceBytes = Self.width(of: UInt64(objects.count - 1))
    var bytes = BinaryPropertyList.header
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let encoding): bytes += encoding
      case .container(let kind, let count, let references):
        bytes += Self.marker(kind, count: count)
        for reference in references {
          bytes += Self.bigEndian(UInt64(reference), bytes: referenceBytes)
        }
      }
    }
    let table = bytes.count
    let offsetBytes = Self.width(of: UInt64(table))
    for offset in offsets { bytes += Self.bigEndian(UInt64(offset), bytes: offsetBytes) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)]
    for number in [objects.count, 0, table] { bytes += Self.bigEndian(UInt64(number), bytes: 8) }
    return bytes
  }
}

extension BinaryPropertyListWriter {
  private static func encode(_ scalar: PropertyList) -> [UInt8] {
    switch scalar {
    case .boolean(let value): [value ? 0x09 : 0x08]
    case .integer(let value): integer(value)
    case .float(let value): [0x22] + bigEndian(UInt64(value.bitPattern), bytes: 4)
    case .double(let value): [0x23] + bigEndian(value.bitPattern, bytes: 8)
    case .date(let value): [0x33] + bigEndian(value.bitPattern, bytes: 8)
    case .data(let bytes): marker(0x40, count: bytes.count) + bytes
    case .string(let text): string(text)
    case .uid(let value):
      [0x80 | UInt8(width(of: value) - 1)] + bigEndian(value, bytes: width(of: value))
    case .null, .array, .set, .dictionary: [0x00]
    }
  }

  private static func integer(_ value: Int128) -> [UInt8] {
    if value < 0, let number = Int64(exactly: value) {
      return [0x13] + bigEndian(UInt64(bitPattern: number), bytes: 8)
    }
    guard let number = UInt64(exactly: value), number <= UInt64(Int64.max) else {
      let pattern = UInt128(bitPattern: value)
      return [0x14] + bigEndian(UInt64(truncatingIfNeeded: pattern >> 64), bytes: 8)
        + bigEndian(UInt64(truncatingIfNeeded: pattern), bytes: 8)
    }
    let width = width(of: number)
    return [0x10 | UInt8(width.trailingZeroBitCount)] + bigEndian(number, bytes: width)
  }

  private static func string(_ text: String) -> [UInt8] {
    let characters = Array(text.utf8)
    guard characters.contains(where: { $0 > 0x7F }) else {
      return marker(0x50, count: characters.count) + characters
    }
    let units = Array(text.utf16)
    return marker(0x60, count: units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  private static func marker(_ kind: UInt8, count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F] + integer(Int128(count))
  }

  /// The smallest width of 1, 2, 4 and 8 bytes for the number.
  private static func width(of number: UInt64) -> Int {
    switch number {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  private static func bigEndian(_ number: UInt64, bytes count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
  }
}
