import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import TextMatching

/// Encodes the constants of a fetch for the parameters of a statement.
struct ConstantBinder {
  let schema: StoreSchema
  /// The store of the fetch; an object of another store has no key here.
  let identity: StoreIdentity?
  let constants: [ConstantValue]

  /// A key that no row has.
  private static let noKey = Value.integer(0)

  func value(ofConstant index: Int, as form: BindingEncoding) throws(TranslationError) -> Value {
    try value(of: constants[index], as: form)
  }

  func elements(ofConstant index: Int) -> [ConstantValue] {
    if case .list(let elements, _) = constants[index] { return elements }
    return []
  }

  func integers(ofConstant index: Int, as form: BindingEncoding) throws(TranslationError) -> [Int64]
  {
    var integers: [Int64] = []
    let elements = elements(ofConstant: index)
    integers.reserveCapacity(elements.count)
    for element in elements {
      if case .integer(let integer) = try value(of: element, as: form) { integers.append(integer) }
    }
    return integers
  }

  func value(of constant: ConstantValue, as form: BindingEncoding) throws(TranslationError) -> Value
  {
    switch constant {
    case .plain(let value, let kind): return try self.value(value, kind, as: form)
    case .object(let identifier): return try key(of: identifier, as: form)
    case .entity(let entity):
      guard form == .entity else { throw mismatch("an entity", form) }
      return .integer(Int64(schema.layouts[entity].flatMap(schema.entity)?.number ?? 0))
    case .list: throw mismatch("a collection", form)
    }
  }

  private func key(of identifier: NSManagedObjectID, as form: BindingEncoding)
    throws(TranslationError) -> Value
  {
    guard case .key(let root) = form else { throw mismatch("an object", form) }
    guard schema.layouts[identifier.entity]?.rootIndex == root, isOfThisStore(identifier) else {
      return Self.noKey
    }
    return .integer(identifier.key)
  }

  private func isOfThisStore(_ identifier: NSManagedObjectID) -> Bool {
    guard let identity, let other = identifier.storeIdentity else { return true }
    return identity === other || identity.uuid == other.uuid
  }

  private func value(_ value: Value, _ kind: ConstantKind, as form: BindingEncoding)
    throws(TranslationError) -> Value
  {
    switch (form, kind) {
    case (.text, .text), (.text, .url), (.own, _), (_, .null): return value
    case (.number, .integer), (.number, .real), (.number, .decimal), (.number, .date),
      (.number, .text):
      return value
    case (.date, .date), (.date, .integer), (.date, .real), (.date, .decimal): return value
    case (.uuid, .uuid), (.text, .integer), (.text, .real), (.text, .decimal): return value
    case (.data(let isTagged), .data), (.encoded(let isTagged), .data),
      (.encoded(let isTagged), .encoded):
      return try bytes(value, isTagged: isTagged)
    default: return try text(value, kind, as: form)
    }
  }

  /// The bytes as a column stores them: they begin with 1 if the column may refer to a file.
  private func bytes(_ value: Value, isTagged: Bool) throws(TranslationError) -> Value {
    guard isTagged, case .blob(let bytes) = value else { return value }
    guard bytes.count < Limits.externalDataBytes else {
      throw .unsupported(
        "a value that may be kept in a file of its own",
        "Compare shorter values, or keep a digest of the bytes in another attribute and compare that."
      )
    }
    return .blob([1] + bytes)
  }

  private func mismatch(_ kind: String, _ form: BindingEncoding) -> TranslationError {
    .unsupported(
      "\(kind) where \(form.wanted) is wanted", "Give a value of the attribute's own type.")
  }
}

// MARK: - Texts

extension ConstantBinder {
  private func text(_ value: Value, _ kind: ConstantKind, as form: BindingEncoding)
    throws(TranslationError) -> Value
  {
    guard case .text(let text) = value else { throw mismatch(kind.name, form) }
    switch form {
    case .prefixStart: return value
    case .prefixEnd: return text.isEmpty ? value : text.endOfPrefix.map(Value.text) ?? .blob([])
    case .fullText: return .text(FullTextQuery(text).indexExpression)
    case .folded(let options): return .text(TextFolding(options).fold(text))
    case .pattern(let options): return .text(try checked(text, options))
    case .entityName: return .integer(Int64(schema.entity(named: text)?.number ?? 0))
    default: throw mismatch(kind.name, form)
    }
  }

  private func checked(_ pattern: String, _ options: TextOptions) throws(TranslationError) -> String
  {
    do {
      _ = try TextPattern(.matches, pattern, options: options)
      return pattern
    } catch {
      throw .unsupported(
        "can't do regex matching, reason: \(error)", "Correct the regular expression.")
    }
  }

  /// The texts and integers of a list as a JSON array.
  func json(ofConstant index: Int, as form: BindingEncoding) throws(TranslationError) -> Value {
    var json = "["
    for element in elements(ofConstant: index) {
      let value = try value(of: element, as: form)
      let separator = json.utf8.count > 1 ? "," : ""
      switch value {
      case .text(let text):
        json += separator
        text.appendJSON(to: &json)
      case .integer(let number): json += "\(separator)\(number)"
      default: continue
      }
    }
    return .text(json + "]")
  }
}

extension String {
  /// The smallest text that is greater, by bytes, than every text with this prefix; nil if the
  /// prefix consists of the greatest scalars only.
  var endOfPrefix: String? {
    var scalars = unicodeScalars
    while let last = scalars.popLast() {
      guard last.value < 0x10FFFF else { continue }
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      return String(scalars)
    }
    return nil
  }

  fileprivate func appendJSON(to json: inout String) {
    json += "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\0"..."\u{1F}":
        json +=
          "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2)
          + String(scalar.value, radix: 16)
      default: json.unicodeScalars.append(scalar)
      }
    }
    json += "\""
  }
}

// MARK: - Names for messages

extension BindingEncoding {
  fileprivate var wanted: String {
    switch self {
    case .own: "a value"
    case .number: "a number"
    case .text, .prefixStart, .prefixEnd, .folded, .fullText: "a text"
    case .pattern: "a regular expression"
    case .date: "a date"
    case .uuid: "a UUID"
    case .data: "data"
    case .encoded: "the encoded data of a transformed value"
    case .key: "an object or object identifier"
    case .entity: "an entity"
    case .entityName: "the name of an entity"
    }
  }
}

extension ConstantKind {
  fileprivate var name: String {
    switch self {
    case .null: "nothing"
    case .integer, .real, .decimal: "a number"
    case .text: "a text"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .object: "an object"
    case .entity: "an entity"
    case .encoded: "the encoded data of a transformed value"
    case .list: "a collection"
    case .other(let type): "a value of type \(type)"
    }
  }
}
