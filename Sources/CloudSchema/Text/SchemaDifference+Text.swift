extension SchemaDifference {
  /// The steps as text for people: `+` for additions, `-` for removals, `~` for changes, under
  /// their record type.
  ///
  ///     + CREATE ROLE Librarian
  ///     ~ RECORD TYPE Book
  ///     +   pageCount INT64 QUERYABLE SORTABLE
  ///     -   INDEX title SEARCHABLE
  ///
  /// Empty if there is no difference.
  package var text: String {
    var lines: [String] = []
    var headingType: String?
    for change in changes {
      if let type = change.recordType, change.isWithinType, headingType != type {
        lines.append("~ RECORD TYPE \(SchemaPrinter.name(type))")
        headingType = type
      }
      lines += change.lines
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension SchemaChange {
  fileprivate var isWithinType: Bool {
    switch self {
    case .addRole, .removeRole, .addType, .removeType: false
    default: true
    }
  }

  fileprivate var lines: [String] {
    switch self {
    case .addRole(let role): ["+ CREATE ROLE \(SchemaPrinter.name(role))"]
    case .removeRole(let role): ["- CREATE ROLE \(SchemaPrinter.name(role))"]
    case .addType(let type): Self.lines(of: type, sign: "+")
    case .removeType(let type): Self.lines(of: type, sign: "-")
    case .addField(let field, _): ["+   \(SchemaPrinter.line(field))"]
    case .removeField(let field, _): ["-   \(SchemaPrinter.line(field))"]
    case .changeDatatype(let field, _, let old, let new):
      ["~   \(SchemaPrinter.name(field)) \(old.schemaText) becomes \(new.schemaText)"]
    case .addIndexes(let indexes, let field, _): ["+   INDEX \(Self.indexed(field, indexes))"]
    case .removeIndexes(let indexes, let field, _): ["-   INDEX \(Self.indexed(field, indexes))"]
    case .grant(let permissions, let role, _): ["+   \(SchemaPrinter.line(permissions, to: role))"]
    case .revoke(let permissions, let role, _): ["-   \(SchemaPrinter.line(permissions, to: role))"]
    }
  }

  private static func lines(of type: RecordTypeDefinition, sign: String) -> [String] {
    let fields = SchemaPrinter.indexedSystemFields(of: type) + type.fields
    return ["\(sign) RECORD TYPE \(SchemaPrinter.name(type.name))"]
      + fields.map { "\(sign)   \(SchemaPrinter.line($0))" }
      + type.grants.roles.map { "\(sign)   \(SchemaPrinter.line(type.grants[$0], to: $0))" }
  }

  private static func indexed(_ field: FieldDefinition, _ indexes: FieldIndexes) -> String {
    "\(SchemaPrinter.name(field.name)) \(indexes.words.joined(separator: " "))"
  }
}
