extension JSONReader {
  /// Enters an object.
  ///
  /// Read its keys with `nextKey()`.
  public mutating func beginObject() throws(JSONError) {
    try begin(.object, with: ASCII.openBrace)
  }

  /// Enters an object with known keys.
  ///
  /// Read them with `nextKey(of:)`.
  @inlinable
  public mutating func beginObject<Key: JSONKey>(_: Key.Type) throws(JSONError) -> JSONObject<Key> {
    try beginObject()
    return JSONObject(depth: depth)
  }

  /// Enters an array.
  ///
  /// Read its elements with `nextElement()`.
  public mutating func beginArray() throws(JSONError) {
    try begin(.array, with: ASCII.openBracket)
  }

  /// Advances to the next element of the array.
  ///
  /// - Returns: True if there is an element. Otherwise the reader has left the array.
  public mutating func nextElement() throws(JSONError) -> Bool {
    guard try advance(closing: ASCII.closeBracket) else { return false }
    frames[depth].place += 1
    try countElement()
    return true
  }

  /// Advances to the next key of the object.
  ///
  /// A caller that collects the keys must reject a repeated one with `duplicateKey()`, because
  /// another reader of the document may use the other value.
  ///
  /// - Returns: The key, or nil at the end, when the reader has left the object.
  public mutating func nextKey() throws(JSONError) -> String? {
    guard try advance(closing: ASCII.closeBrace) else { return nil }
    try countElement()
    let text = try takeKey()
    let key = try string(text)
    try takeColon()
    return key
  }

  /// Advances to the next known key, and skips the values of unknown keys.
  ///
  /// A repeated known key is an error. Two readers of one document could use different values, and
  /// an attacker could pass a check with one value and act with the other. Unknown keys have no
  /// meaning and may be repeated.
  ///
  /// - Returns: The key, or nil at the end, when the reader has left the object.
  @inlinable
  public mutating func nextKey<Key: JSONKey>(of object: inout JSONObject<Key>) throws(JSONError)
    -> Key?
  {
    assert(depth == object.depth, "A container in the object was not read to its end")
    let number = try nextKnownKey(object.table.names, seen: &object.seen)
    return number < 0 ? nil : object.table.keys[number]
  }

  /// Returns the number of the next known key, or -1 at the object's end.
  @usableFromInline
  mutating func nextKnownKey(_ names: JSONNames, seen: inout UInt64) throws(JSONError) -> Int {
    while try advance(closing: ASCII.closeBrace) {
      let number = try find(takeKey(), in: names)
      if number >= 0 {
        let bit: UInt64 = 1 << UInt64(number)
        guard seen & bit == 0 else { throw duplicateKey() }
        seen |= bit
        try takeColon()
        return number
      }
      try takeColon()
      try skip()
    }
    return -1
  }
}

// MARK: - The grammar of containers

extension JSONReader {
  @inline(__always)
  mutating func begin(_ kind: JSONKind, with opening: UInt8) throws(JSONError) {
    guard try startValue() == opening else { throw wrongKind(kind) }
    try enter(isArray: kind == .array)
  }

  /// Enters the container whose opening byte is next.
  @inline(__always)
  mutating func enter(isArray: Bool) throws(JSONError) {
    guard depth < frames.greatestDepth else {
      throw failure(
        .limit, "more than \(frames.greatestDepth) nested containers", at: position)
    }
    position += 1
    depth += 1
    frames[depth] = Frame(isArray: isArray, place: -1)
    expectation = .first
  }

  /// Advances to the beginning of the next element or key.
  ///
  /// - Returns: True if there is one. Otherwise the reader has left the container.
  @inline(__always)
  mutating func advance(closing: UInt8) throws(JSONError) -> Bool {
    assert(depth > 0, "A container is open")
    assert(
      frames[depth].isArray == (closing == ASCII.closeBracket),
      "Arrays have elements, objects have keys")
    if expectation == .value { try skip() }
    guard let byte = peekByte() else { throw truncated() }
    if byte == closing {
      leave()
      return false
    }
    if expectation == .rest {
      guard byte == ASCII.comma else {
        throw failure(.syntax, "expected a comma or the container's end", at: position)
      }
      position += 1
    }
    expectation = .value
    return true
  }

  /// Counts an element, unless it was counted when it was first read or skipped.
  @inline(__always)
  private mutating func countElement() throws(JSONError) {
    guard position > lastElement else { return }
    lastElement = position
    elementCount += 1
    guard elementCount <= limits.maximumElements else {
      throw failure(.limit, "more than \(limits.maximumElements) elements", at: position)
    }
  }

  /// Leaves the container whose closing byte is next.
  @inline(__always)
  private mutating func leave() {
    position += 1
    depth -= 1
    expectation = .rest
  }

  /// Reads a key's text.
  @inline(__always)
  mutating func takeKey() throws(JSONError) -> StringExtent {
    guard let byte = peekByte() else { throw truncated() }
    frames[depth].place = position
    guard byte == ASCII.quote else {
      throw failure(.syntax, "expected a key in quotes", at: position)
    }
    return try takeString()
  }

  @inline(__always)
  mutating func takeColon() throws(JSONError) {
    guard let byte = peekByte() else { throw truncated() }
    guard byte == ASCII.colon else {
      throw failure(.syntax, "expected a colon after the key", at: position)
    }
    position += 1
  }

  /// Advances to the first byte of the requested value.
  @inline(__always)
  mutating func startValue() throws(JSONError) -> UInt8 {
    assert(expectation == .value, "Each element and each key has one value")
    guard let byte = peekByte() else {
      valueStart = position
      throw truncated()
    }
    valueStart = position
    return byte
  }
}
