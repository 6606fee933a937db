import ManagedObjectModel

extension QueryWriter {
  /// The value of an attribute, or of a path inside it.
  func value(
    of attribute: NSAttributeDescription, _ property: StoredProperty, _ rest: ArraySlice<String>,
    from source: RowSource, as text: String, _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    guard let column = property.column else { throw .unknownKeyPath(text, of: source.entity.name) }
    if column.isComposite {
      return try leafValue(of: column, rest, from: source, as: text, context)
    }
    guard let kind = ValueKind(attribute) else {
      throw .unknownKeyPath(text, of: source.entity.name)
    }
    let value = SQLValue(
      text: "\(alias(of: source, context)).\(column.name)", kind: kind, isColumn: true)
    return try self.value(rest, of: value, as: text, source)
  }

  /// The value of an element of a composite attribute: that of the first leaf whose path begins the
  /// remaining path.
  private func leafValue(
    of column: PropertyColumn, _ rest: ArraySlice<String>, from source: RowSource, as text: String,
    _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    guard let leaf = column.leaves.first(where: { rest.starts(with: $0.path) }),
      let kind = ValueKind(leaf.attribute)
    else {
      throw .unsupported(
        "the composite attribute \(text) as a whole",
        "Compare its elements, such as \(text).element, one by one.")
    }
    let value = SQLValue(
      text: "\(alias(of: source, context)).\(leaf.name)", kind: kind, isColumn: true)
    return try self.value(rest.dropFirst(leaf.path.count), of: value, as: text, source)
  }

  /// A property of a value; SQL supports only a few.
  private func value(
    _ rest: ArraySlice<String>, of value: SQLValue, as text: String, _ source: RowSource
  ) throws(TranslationError) -> SQLValue {
    switch (Array(rest), value.kind) {
    case ([], _), (["self"], _): return value
    case (["length"], .text):
      return SQLValue(text: "ParhelionLength(\(value.text))", kind: .integer(64))
    case (["length"], .data(isTagged: false)):
      return SQLValue(text: "LENGTH(\(value.text))", kind: .integer(64))
    case (["stringValue"], .integer):
      return SQLValue(text: "CAST(\(value.text) AS TEXT)", kind: .text)
    case (["absoluteString"], .url): return SQLValue(text: value.text, kind: .text, isColumn: true)
    default: throw .unknownKeyPath(text, of: source.entity.name)
    }
  }
}
