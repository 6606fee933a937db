/// An object's kind and its range of bytes in the file.
///
/// All of these bytes are before the offset table.
struct BinaryPropertyListObject {
  enum Kind {
    case null
    case boolean(Bool)
    case integer
    case real
    case date
    case data
    case ascii
    case utf16
    case uid
    case array
    case set
    case dictionary
  }

  let kind: Kind
  /// The number of bytes, characters, units or elements, depending on the kind.
  let count: Int
  let contentOffset: Int
  /// The length of the marker, the size and the content together.
  let totalBytes: Int

  init(at offset: Int, in reader: BinaryPropertyListReader) throws(PropertyListError) {
    let marker = reader.bytes[offset]
    kind = try Self.kind(of: marker, at: offset)
    (count, contentOffset) = try Self.size(kind, marker: marker, at: offset, in: reader)
    let unit = Self.unitBytes(of: kind, in: reader.trailer)
    let (contentBytes, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow, contentBytes <= reader.trailer.tableOffset - contentOffset else {
      throw PropertyListError(
        .outOfBounds,
        "The object needs \(count) × \(unit) bytes, more than remain before the offset table.",
        offset: offset)
    }
    totalBytes = contentOffset - offset + contentBytes
  }

  private static func kind(of marker: UInt8, at offset: Int) throws(PropertyListError) -> Kind {
    switch (marker >> 4, marker & 0x0F) {
    case (0x0, 0x0): return .null
    case (0x0, 0x8): return .boolean(false)
    case (0x0, 0x9): return .boolean(true)
    case (0x1, 0...4): return .integer
    case (0x2, 2...3): return .real
    case (0x3, 3): return .date
    case (0x4, _): return .data
    case (0x5, _): return .ascii
    case (0x6, _): return .utf16
    case (0x8, 0...7): return .uid
    case (0xA, _): return .array
    case (0xC, _): return .set
    case (0xD, _): return .dictionary
    default:
      let hexadecimal = String(marker, radix: 16)
      throw PropertyListError(
        .malformed, "No object has the marker \(hexadecimal).", offset: offset)
    }
  }

  /// The size of the object, and the start of its content.
  private static func size(
    _ kind: Kind, marker: UInt8, at offset: Int, in reader: BinaryPropertyListReader
  ) throws(PropertyListError) -> (count: Int, contentOffset: Int) {
    let nibble = Int(marker & 0x0F)
    switch kind {
    case .null, .boolean: return (0, offset + 1)
    case .integer, .real, .date: return (1 << nibble, offset + 1)
    case .uid: return (nibble + 1, offset + 1)
    default: return nibble < 15 ? (nibble, offset + 1) : try longSize(at: offset + 1, in: reader)
    }
  }

  private static func longSize(
    at offset: Int, in reader: BinaryPropertyListReader
  ) throws(PropertyListError) -> (count: Int, contentOffset: Int) {
    let end = reader.trailer.tableOffset
    guard offset < end, (0x10...0x13).contains(reader.bytes[offset]) else {
      throw PropertyListError(
        .malformed, "An integer with the size of the object is expected.", offset: offset)
    }
    let width = 1 << Int(reader.bytes[offset] & 0x0F)
    guard width < end - offset else {
      throw PropertyListError(
        .outOfBounds, "The size of the object runs into the offset table.", offset: offset)
    }
    guard let count = Int(exactly: reader.number(at: offset + 1, bytes: width)) else {
      throw PropertyListError(
        .outOfBounds, "The size of the object is larger than any file.", offset: offset)
    }
    return (count, offset + 1 + width)
  }

  private static func unitBytes(of kind: Kind, in trailer: BinaryPropertyList.Trailer) -> Int {
    switch kind {
    case .utf16: 2
    case .array, .set: trailer.referenceBytes
    case .dictionary: 2 * trailer.referenceBytes
    default: 1
    }
  }
}

extension BinaryPropertyListObject {
  /// The value of an object that is not a container.
  func scalar(in reader: BinaryPropertyListReader) throws(PropertyListError) -> PropertyList {
    switch kind {
    case .boolean(let value): return .boolean(value)
    case .integer: return .integer(integer(in: reader))
    case .real:
      let pattern = reader.number(at: contentOffset, bytes: count)
      return count == 4
        ? .float(Float(bitPattern: UInt32(pattern))) : .double(Double(bitPattern: pattern))
    case .date: return .date(Double(bitPattern: reader.number(at: contentOffset, bytes: 8)))
    case .data: return .data(Array(reader.bytes[contentOffset..<(contentOffset + count)]))
    case .ascii: return .string(try ascii(in: reader))
    case .utf16: return .string(try utf16(in: reader))
    case .uid: return .uid(reader.number(at: contentOffset, bytes: count))
    default: return .null
    }
  }

  private func integer(in reader: BinaryPropertyListReader) -> Int128 {
    switch count {
    case 16:
      let high = reader.number(at: contentOffset, bytes: 8)
      let low = reader.number(at: contentOffset + 8, bytes: 8)
      return Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
    case 8: return Int128(Int64(bitPattern: reader.number(at: contentOffset, bytes: 8)))
    default: return Int128(reader.number(at: contentOffset, bytes: count))
    }
  }

  private func ascii(in reader: BinaryPropertyListReader) throws(PropertyListError) -> String {
    let characters = reader.bytes[contentOffset..<(contentOffset + count)]
    if let position = characters.firstIndex(where: { $0 > 0x7F }) {
      throw PropertyListError(
        .malformed, "An ASCII string contains a byte above 127.", offset: position)
    }
    return String(decoding: characters, as: UTF8.self)
  }

  private func utf16(in reader: BinaryPropertyListReader) throws(PropertyListError) -> String {
    let units = (0..<count).map { UInt16(reader.number(at: contentOffset + 2 * $0, bytes: 2)) }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw PropertyListError(
        .malformed, "A string contains half of a surrogate pair.", offset: contentOffset)
    }
    return text
  }
}
