import JSONCoding

extension JSONReader {
  /// Reads a value, or nil for `null`.
  mutating func optional<Value>(
    _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value? {
    try null() ? nil : try read(&self)
  }

  mutating func optionalText() throws(JSONError) -> String? {
    try optional { (reader) throws(JSONError) in try reader.string() }
  }

  mutating func optionalBool() throws(JSONError) -> Bool? {
    try optional { (reader) throws(JSONError) in try reader.bool() }
  }

  mutating func optionalCount() throws(JSONError) -> Int? {
    guard let number = try optional({ (reader) throws(JSONError) in try reader.int64OrText() })
    else { return nil }
    guard (0...Int64(Int32.max)).contains(number) else {
      throw invalidValue("expected a number that is not negative")
    }
    return Int(number)
  }

  /// Reads an array of values.
  mutating func list<Value>(
    most: Int = .max, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    var values: [Value] = []
    try beginArray()
    while try nextElement() {
      guard values.count < most else {
        throw invalidValue("expected no more than \(most) items in a list")
      }
      values.append(try read(&self))
    }
    return values
  }

  /// Reads an array, a single value as an array with one element, or `null` as an empty array.
  mutating func lenientList<Value>(
    most: Int = .max, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    switch try peek() {
    case .array: return try list(most: most, read)
    case .null: return try null() ? [] : []
    default: return [try read(&self)]
    }
  }

  /// Reads a list from an object with one known key, such as the body of a request.
  mutating func list<Key: JSONKey, Value>(
    under key: Key, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    var values: [Value]?
    var object = try beginObject(Key.self)
    while try nextKey(of: &object) != nil {
      values = try lenientList(most: Limits.itemsOfRequest, read)
    }
    guard let values else { throw missingKey(key) }
    return values
  }

  /// Reads an array of texts, or nil for `null`.
  mutating func optionalTexts() throws(JSONError) -> [String]? {
    try optional { (reader) throws(JSONError) in
      try reader.list(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
        try reader.string()
      }
    }
  }
}

extension JSONWriter {
  mutating func text(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }

  mutating func text(_ key: StaticString, ifPresent value: String?) {
    if let value { text(key, value) }
  }

  mutating func bool(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  mutating func number(_ key: StaticString, _ value: Int64) {
    self.key(key)
    int64(value)
  }

  mutating func count(_ key: StaticString, ifPresent value: Int?) {
    if let value { number(key, Int64(value)) }
  }

  mutating func texts(_ key: StaticString, ifPresent values: [String]?) {
    if let values { texts(key, values) }
  }

  mutating func texts(_ key: StaticString, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { string(value) }
    endArray()
  }
}
