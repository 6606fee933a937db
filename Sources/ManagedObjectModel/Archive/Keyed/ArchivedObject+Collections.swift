import PropertyLists

/// The archived forms of Foundation's collections.
///
/// | class | keys |
/// |---|---|
/// | `NSArray`, `NSSet`, `NSOrderedSet` and their subclasses | `NS.objects` |
/// | `NSDictionary` and its subclasses | `NS.keys`, `NS.objects` |
/// | `NSKnownKeysDictionary1` | `searchMapping` with `keys`; `values`; `emptyToken` |
///
/// The `emptyToken` marks a key without a value in `values`.
extension ArchivedObject {
  /// The elements of the collection at a key; none if the key is missing.
  func elements(_ key: String) throws(ModelArchiveError) -> [ArchivedValue] {
    try object(key)?.elements() ?? []
  }

  /// The entries of the dictionary at a key; none if the key is missing.
  func entries(_ key: String) throws(ModelArchiveError) -> [(key: String, value: ArchivedValue)] {
    try object(key)?.entries() ?? []
  }

  var isCollection: Bool {
    isKind(of: "NSArray") || isKind(of: "NSSet") || isKind(of: "NSOrderedSet")
  }
  var isDictionary: Bool { isKind(of: "NSDictionary") }

  /// The elements, if the object is an array or a set.
  func elements() throws(ModelArchiveError) -> [ArchivedValue] {
    guard isCollection else {
      throw error(.wrongKind, "A collection is expected, not \(className).")
    }
    return try references("NS.objects")
  }

  /// The entries, if the object is a dictionary with string keys.
  func entries() throws(ModelArchiveError) -> [(key: String, value: ArchivedValue)] {
    guard isDictionary else {
      throw error(.wrongKind, "A dictionary is expected, not \(className).")
    }
    let (keys, values) = try keysAndValues()
    guard keys.count == values.count else {
      throw error(
        .contradiction, "The dictionary has \(keys.count) keys and \(values.count) values.")
    }
    var entries: [(key: String, value: ArchivedValue)] = []
    var names: Set<String> = []
    for (key, value) in zip(keys, values) {
      guard let name = try key.text() else {
        throw error(.wrongKind, "The keys of the dictionary must be strings; one is \(key.kind).")
      }
      guard names.insert(name).inserted else {
        throw error(.contradiction, "The key “\(name)” occurs twice.")
      }
      if let value { entries.append((name, value)) }
    }
    return entries
  }

  /// The keys and the values of a dictionary, as parallel arrays.
  ///
  /// A value is nil if the dictionary has the key without a value.
  func keysAndValues() throws(ModelArchiveError) -> ([ArchivedValue], [ArchivedValue?]) {
    guard isKind(of: "NSKnownKeysDictionary1") else {
      return (try references("NS.keys"), try references("NS.objects"))
    }
    let emptyToken = try string("emptyToken")
    var values: [ArchivedValue?] = []
    for value in try elements("values") {
      let text = try value.text()
      values.append(text != nil && text == emptyToken ? nil : value)
    }
    return (try requiredObject("searchMapping").elements("keys"), values)
  }

  /// Resolves an array of references, which collections contain inline.
  private func references(_ key: String) throws(ModelArchiveError) -> [ArchivedValue] {
    guard let field = fields[key] else {
      throw error(.missingKey, "\(className) must have this key.", key: key)
    }
    guard let references = field.array else {
      throw error(
        .wrongKind, "\(className) must contain an array of references here, not \(field.kind).",
        key: key)
    }
    try archive.spend(references.count, at: path)
    var values: [ArchivedValue] = []
    values.reserveCapacity(references.count)
    for (position, reference) in references.enumerated() {
      values.append(
        try archive.value(
          of: reference, path: ArchivePath("\(position)", in: path), depth: depth + 1))
    }
    return values
  }
}

extension ArchivedValue {
  /// The string, if the value is one.
  func text() throws(ModelArchiveError) -> String? {
    switch self {
    case .scalar(.string(let text)): return text
    case .object(let object) where object.isKind(of: "NSString"):
      if let text = try object.string("NS.string") { return text }
      return try object.data("NS.bytes").map { String(decoding: $0, as: UTF8.self) }
    default: return nil
    }
  }

  /// The object, if it is an instance of a class or of its subclasses.
  func object(of className: String) -> ArchivedObject? {
    guard case .object(let object) = self, object.isKind(of: className) else { return nil }
    return object
  }
}
