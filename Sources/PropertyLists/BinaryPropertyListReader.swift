/// Reads the objects of a binary property list, each once.
struct BinaryPropertyListReader {
  /// The progress of an object in the table.
  private enum State {
    case untouched
    /// The container is being read: a reference to it is a cycle.
    case open
    /// The value, and the number of values in it, including itself.
    case read(PropertyList, size: Int)
  }

  let bytes: [UInt8]
  let trailer: BinaryPropertyList.Trailer
  private let limits: PropertyListLimits
  private var states: [State]
  private var unclaimedBytes: Int

  init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
    guard bytes.count <= limits.maximumBytes else {
      throw PropertyListError(
        .limit,
        "The property list has \(bytes.count) bytes; at most \(limits.maximumBytes) are read.")
    }
    trailer = try BinaryPropertyList.Trailer(of: bytes)
    self.bytes = bytes
    self.limits = limits
    // The trailer's check limits the number of objects, and so this allocation, by the size of the
    // file.
    states = Array(repeating: .untouched, count: trailer.objectCount)
    unclaimedBytes = trailer.tableOffset - BinaryPropertyList.header.count
  }

  mutating func readRoot() throws(PropertyListError) -> PropertyList {
    try object(
      trailer.rootIndex, depth: 0, referrer: bytes.count - BinaryPropertyList.trailerBytes + 16
    ).value
  }

  /// The object with a number; `referrer` is the position of the reference.
  private mutating func object(
    _ index: Int, depth: Int, referrer: Int
  ) throws(PropertyListError) -> (value: PropertyList, size: Int) {
    guard index < states.count else {
      throw PropertyListError(
        .outOfBounds, "A reference to object \(index), but there are only \(states.count) objects.",
        offset: referrer)
    }
    switch states[index] {
    case .read(let value, let size): return (value, size)
    case .open:
      throw PropertyListError(.cycle, "The container \(index) contains itself.", offset: referrer)
    case .untouched: break
    }
    guard depth <= limits.maximumDepth else {
      throw PropertyListError(
        .limit, "Containers are nested more than \(limits.maximumDepth) deep.",
        offset: referrer)
    }
    states[index] = .open
    let result = try parse(at: try offset(of: index), depth: depth)
    states[index] = .read(result.value, size: result.size)
    return result
  }

  private func offset(of index: Int) throws(PropertyListError) -> Int {
    let entry = trailer.tableOffset + index * trailer.offsetBytes
    let offset = number(at: entry, bytes: trailer.offsetBytes)
    guard offset >= UInt64(BinaryPropertyList.header.count), offset < UInt64(trailer.tableOffset)
    else {
      throw PropertyListError(
        .outOfBounds, "The offset \(offset) of object \(index) is outside of the objects.",
        offset: entry)
    }
    return Int(offset)
  }

  private mutating func parse(
    at offset: Int, depth: Int
  ) throws(PropertyListError) -> (value: PropertyList, size: Int) {
    let object = try BinaryPropertyListObject(at: offset, in: self)
    guard object.totalBytes <= unclaimedBytes else {
      throw PropertyListError(
        .outOfBounds, "The objects of the property list overlap.", offset: offset)
    }
    unclaimedBytes -= object.totalBytes
    switch object.kind {
    case .array:
      let (elements, size) = try elements(object, from: 0, count: object.count, depth: depth)
      return (.array(elements), size)
    case .set:
      let (elements, size) = try elements(object, from: 0, count: object.count, depth: depth)
      return (.set(elements), size)
    case .dictionary:
      return try dictionary(object, depth: depth)
    default:
      return (try object.scalar(in: self), 1)
    }
  }

  private mutating func elements(
    _ object: BinaryPropertyListObject, from first: Int, count: Int, depth: Int
  ) throws(PropertyListError) -> (values: [PropertyList], size: Int) {
    var values: [PropertyList] = []
    values.reserveCapacity(count)
    var size = 1
    for position in first..<(first + count) {
      let place = object.contentOffset + position * trailer.referenceBytes
      let reference = number(at: place, bytes: trailer.referenceBytes)
      let element = try self.object(Int(clamping: reference), depth: depth + 1, referrer: place)
      values.append(element.value)
      size += element.size
      guard size <= limits.maximumValues else {
        throw PropertyListError(
          .limit, "The property list expands to more than \(limits.maximumValues) values.",
          offset: place
        )
      }
    }
    return (values, size)
  }

  private mutating func dictionary(
    _ object: BinaryPropertyListObject, depth: Int
  ) throws(PropertyListError) -> (value: PropertyList, size: Int) {
    let (keys, keysSize) = try elements(object, from: 0, count: object.count, depth: depth)
    let (values, valuesSize) = try elements(
      object, from: object.count, count: object.count, depth: depth)
    var entries: [String: PropertyList] = [:]
    entries.reserveCapacity(object.count)
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = key else {
        throw PropertyListError(
          .malformed, "The keys of a dictionary must be strings; this one is \(key.kind).",
          offset: object.contentOffset
        )
      }
      guard entries.updateValue(value, forKey: name) == nil else {
        throw PropertyListError(
          .duplicateKey, "The dictionary has the key “\(name)” twice.", offset: object.contentOffset
        )
      }
    }
    return (.dictionary(entries), keysSize + valuesSize)
  }

  /// Reads a big-endian number at a valid position.
  func number(at offset: Int, bytes count: Int) -> UInt64 {
    bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
