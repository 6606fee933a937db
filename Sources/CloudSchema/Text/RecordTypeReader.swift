import CloudRecords

/// Parses a record type's definition between its parentheses.
struct RecordTypeReader {
  private(set) var type: RecordTypeDefinition
  private var mentionedSystemFields: Set<SystemField> = []

  init(name: String) { type = RecordTypeDefinition(name: name) }

  mutating func read(from parser: inout SchemaParser) throws(SchemaIssue) {
    try parser.expect(sign: "(", "The fields of a record type are in parentheses.")
    if try parser.take(sign: ")") { return }
    repeat {
      if try parser.take(word: "GRANT") {
        try readGrant(from: &parser)
      } else {
        try readField(from: &parser)
      }
    } while try parser.take(sign: ",")
    try parser.expect(
      sign: ")",
      "A field is followed by its indexes, a comma and the next field, or the end of the type.")
  }

  // MARK: Fields

  private mutating func readField(from parser: inout SchemaParser) throws(SchemaIssue) {
    let position = parser.current.position
    let name = try parser.takeName("a field's name or GRANT")
    let datatypePosition = parser.current.position
    let datatype = try DatatypeReader.read(from: &parser, field: name, type: type.name)
    let indexes = try readIndexes(from: &parser)
    if let field = SystemField(rawValue: name) {
      if datatype != .plain(field.type) {
        recordSystemField(field, at: datatypePosition, in: &parser)
      }
      return index(field, indexes, at: position, in: &parser)
    }
    let field = FieldDefinition(name: name, datatype: datatype, indexes: indexes)
    if let issue = issue(of: field) {
      parser.report(issue.sentence, remedy: issue.remedy, at: position)
    }
    define(field, at: position, in: &parser)
  }

  private func readIndexes(from parser: inout SchemaParser) throws(SchemaIssue) -> FieldIndexes {
    var indexes: FieldIndexes = []
    while case .word(let word) = parser.current.token,
      let known = FieldIndexes.words.first(where: { $0.word == word.uppercased() })
    {
      indexes.insert(known.index)
      try parser.advance()
    }
    return indexes
  }

  private func issue(of field: FieldDefinition) -> SchemaIssue? {
    if let defect = SchemaName.field(of: type.name).defect(in: field.name) {
      let systems = SystemField.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      let remedy =
        field.name.hasPrefix("_") ? "The system's fields are \(systems)." : SchemaName.remedy
      return SchemaIssue(
        "The field '\(field.name)' in record '\(type.name)' \(defect).", remedy: remedy)
    }
    let impossible = field.indexes.subtracting(field.datatype.possibleIndexes)
    if impossible.isEmpty { return nil }
    let words = impossible.words.joined(separator: " or ")
    return SchemaIssue(
      "The field '\(field.name)' in record '\(type.name)' is \(field.datatype.schemaText) and cannot be \(words).",
      remedy: remedy(for: field.datatype, words))
  }

  private func remedy(for datatype: Datatype, _ words: String) -> String {
    let possible = datatype.possibleIndexes.words
    let rest =
      possible.isEmpty ? "it has no indexes" : "it can be \(possible.joined(separator: ", "))"
    return "Leave out \(words): \(rest)."
  }

  private mutating func define(
    _ field: FieldDefinition, at position: TextPosition, in parser: inout SchemaParser
  ) {
    if type[field: field.name] != nil {
      return parser.report(
        "The field '\(field.name)' in record '\(type.name)' is defined twice.",
        remedy: "Remove one of the two.",
        at: position)
    }
    type.define(field)
    let most = parser.limits.fieldsPerRecordType
    if type.fieldCount == most + 1 {
      parser.report(
        "The record type '\(type.name)' has more than \(most) fields.",
        remedy: "Move some of them to another record type, and reference its records.", at: position
      )
    }
  }

  // MARK: Fields of the system

  private mutating func index(
    _ field: SystemField, _ indexes: FieldIndexes, at position: TextPosition,
    in parser: inout SchemaParser
  ) {
    if !mentionedSystemFields.insert(field).inserted {
      parser.report(
        "The field '\(field.rawValue)' in record '\(type.name)' is mentioned twice.",
        remedy: "Remove one of the two.",
        at: position)
    }
    let definition = FieldDefinition(
      name: field.rawValue, datatype: .plain(field.type), indexes: indexes)
    let impossible = indexes.subtracting(definition.datatype.possibleIndexes)
    if !impossible.isEmpty {
      let words = impossible.words.joined(separator: " or ")
      parser.report(
        "The field '\(field.rawValue)' in record '\(type.name)' is \(definition.datatype.schemaText) and cannot be \(words).",
        remedy: remedy(for: definition.datatype, words), at: position)
    }
    type[indexesOf: field] = indexes
  }

  private func recordSystemField(
    _ field: SystemField, at position: TextPosition, in parser: inout SchemaParser
  ) {
    parser.report(
      "The field '\(field.rawValue)' in record '\(type.name)' is a system field, and always \(field.type.name).",
      remedy:
        "Write \"\(field.rawValue)\" \(field.type.name), or omit it if it needs no index.",
      at: position)
  }

  // MARK: Grants

  private mutating func readGrant(from parser: inout SchemaParser) throws(SchemaIssue) {
    var permissions: RecordPermissions = []
    repeat {
      permissions.insert(try readPermission(from: &parser))
    } while try parser.take(sign: ",")
    try parser.expect(word: "TO", "A grant ends with TO and the name of a role.")
    let position = parser.current.position
    let role = try parser.takeName("the name of a role")
    parser.grantedRoles.append((role, type.name, position))
    type.grants[role].insert(permissions)
  }

  private func readPermission(from parser: inout SchemaParser) throws(SchemaIssue)
    -> RecordPermissions
  {
    for (permission, word) in RecordPermissions.words where try parser.take(word: word) {
      return permission
    }
    throw parser.unexpected(
      "READ, CREATE or WRITE", "Write a field with the name \"grant\" in quotes.")
  }
}
