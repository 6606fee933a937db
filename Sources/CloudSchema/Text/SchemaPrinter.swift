import CloudRecords

extension Schema {
  /// The schema in Apple's language, ordered by name.
  ///
  /// Parsing it returns an equal schema.
  package var text: String {
    var text = "DEFINE SCHEMA\n"
    for role in roles.sorted() { text += "\n    CREATE ROLE \(SchemaPrinter.name(role));\n" }
    for type in types { text += "\n" + SchemaPrinter.print(type) }
    return text
  }
}

/// Prints parts of schemas in the form of Apple's exports.
enum SchemaPrinter {
  static func print(_ type: RecordTypeDefinition) -> String {
    let fields = systemFields(of: type) + type.fields
    let width = fields.map { name($0.name).utf8.count }.max() ?? 0
    let items =
      fields.map { line($0, width: width) }
      + type.grants.roles.map { line(type.grants[$0], to: $0) }
    let body = items.map { "        \($0)" }.joined(separator: ",\n")
    return "    RECORD TYPE \(name(type.name)) (\n\(body)\n    );\n"
  }

  /// A field, padded to a width for alignment.
  static func line(_ field: FieldDefinition, width: Int = 0) -> String {
    let quoted = name(field.name)
    let space = String(repeating: " ", count: max(0, width - quoted.utf8.count))
    return ([quoted + space, field.datatype.schemaText] + field.indexes.words).joined(
      separator: " ")
  }

  static func line(_ permissions: RecordPermissions, to role: String) -> String {
    "GRANT \(permissions.words.joined(separator: ", ")) TO \(name(role))"
  }

  /// A name, in quotes if it needs them.
  static func name(_ name: String) -> String {
    let isPlain =
      SchemaName.role.defect(in: name) == nil
      && !SchemaParser.reservedWords.contains(name.uppercased())
    return isPlain ? name : "\"\(name)\""
  }

  /// The six system fields that Apple lists for every type, and the other two if they are indexed.
  private static func systemFields(of type: RecordTypeDefinition) -> [FieldDefinition] {
    let indexed = indexedSystemFields(of: type)
    let others = alwaysListed.filter { type[indexesOf: $0].isEmpty }.map {
      definition(of: $0, in: type)
    }
    return (indexed + others).sorted { $0.name < $1.name }
  }

  private static let alwaysListed: [SystemField] = [
    .recordIdentifier, .createdTime, .createdBy, .modifiedTime, .modifiedBy, .changeTag,
  ]

  /// The system fields with indexes in the type.
  static func indexedSystemFields(of type: RecordTypeDefinition) -> [FieldDefinition] {
    SystemField.allCases.filter { !type[indexesOf: $0].isEmpty }.map {
      definition(of: $0, in: type)
    }
  }

  private static func definition(of field: SystemField, in type: RecordTypeDefinition)
    -> FieldDefinition
  {
    FieldDefinition(
      name: field.rawValue, datatype: .plain(field.type), indexes: type[indexesOf: field])
  }
}
