import PropertyLists

/// One object of a keyed archive, with accessors whose errors name the expected type and the path.
struct ArchivedObject {
  let archive: KeyedArchive
  /// The object's position in the archive, which identifies it.
  let index: Int
  let classDescription: KeyedArchive.ClassDescription
  let fields: [String: PropertyList]
  let path: ArchivePath
  let depth: Int

  var className: String {
    classDescription.name.count > 100
      ? "\(classDescription.name.prefix(100))…" : classDescription.name
  }

  /// Whether the object's class is the named one or inherits from it.
  func isKind(of name: String) -> Bool {
    classDescription.name == name || classDescription.lineage.contains(name)
  }

  func error(_ code: ModelArchiveError.Code, _ message: String, key: String? = nil)
    -> ModelArchiveError
  {
    ModelArchiveError(code, message, at: key.map(place) ?? path)
  }

  private func place(_ key: String) -> ArchivePath {
    ArchivePath(key, in: path)
  }

  private func wrongKind(_ key: String, _ expected: String, _ value: ArchivedValue)
    -> ModelArchiveError
  {
    error(.wrongKind, "\(className) must contain \(expected) here, not \(value.kind).", key: key)
  }

  // MARK: Values

  func value(_ key: String) throws(ModelArchiveError) -> ArchivedValue {
    guard let field = fields[key] else { return .none }
    return try archive.value(of: field, path: place(key), depth: depth + 1)
  }

  func object(_ key: String) throws(ModelArchiveError) -> ArchivedObject? {
    switch try value(key) {
    case .none: return nil
    case .object(let object): return object
    case .scalar(let scalar): throw wrongKind(key, "an object", .scalar(scalar))
    }
  }

  func requiredObject(_ key: String) throws(ModelArchiveError) -> ArchivedObject {
    guard let object = try object(key) else {
      throw error(.missingKey, "\(className) must have this key.", key: key)
    }
    return object
  }

  /// A string, which the archive contains directly or as an object of a string class.
  func string(_ key: String) throws(ModelArchiveError) -> String? {
    let value = try value(key)
    if case .none = value { return nil }
    guard let text = try value.text() else { throw wrongKind(key, "a string", value) }
    return text
  }

  func requiredString(_ key: String) throws(ModelArchiveError) -> String {
    guard let text = try string(key) else {
      throw error(.missingKey, "\(className) must have this key.", key: key)
    }
    return text
  }

  /// A Boolean; a missing key is false.
  func flag(_ key: String) throws(ModelArchiveError) -> Bool {
    let value = try value(key)
    switch value {
    case .none: return false
    case .scalar(.boolean(let flag)): return flag
    case .scalar(.integer(let number)): return number != 0
    default: throw wrongKind(key, "a boolean", value)
    }
  }

  func integer(_ key: String) throws(ModelArchiveError) -> Int? {
    let value = try value(key)
    switch value {
    case .none: return nil
    case .scalar(.integer(let number)):
      if let integer = Int(exactly: number) { return integer }
    case .scalar(.boolean(let flag)): return flag ? 1 : 0
    default: break
    }
    throw wrongKind(key, "a whole number", value)
  }

  /// A whole number in a range; a missing key is the lower bound.
  func integer(_ key: String, in range: ClosedRange<Int>) throws(ModelArchiveError) -> Int {
    let number = try integer(key) ?? range.lowerBound
    guard range.contains(number) else {
      throw error(
        .contradiction, "\(number) is not between \(range.lowerBound) and \(range.upperBound).",
        key: key)
    }
    return number
  }

  func real(_ key: String) throws(ModelArchiveError) -> Double? {
    let value = try value(key)
    switch value {
    case .none: return nil
    case .scalar(.double(let number)), .scalar(.date(let number)): return number
    case .scalar(.float(let number)): return Double(number)
    case .scalar(.integer(let number)): return Double(number)
    default: throw wrongKind(key, "a number", value)
    }
  }

  func data(_ key: String) throws(ModelArchiveError) -> [UInt8]? {
    let value = try value(key)
    switch value {
    case .none: return nil
    case .scalar(.data(let bytes)): return bytes
    case .object(let object) where object.isKind(of: "NSData"): return try object.data("NS.data")
    default: throw wrongKind(key, "data", value)
    }
  }
}
