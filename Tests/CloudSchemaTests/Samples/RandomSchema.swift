import CloudRecords
import CloudSchema
import TestSupport

/// Random schemas within the limits, with names that are hard to print.
struct RandomSchema {
  var generator: SeededGenerator

  static let datatypes: [Datatype] =
    FieldType.allCases.map(Datatype.plain)
    + FieldType.allCases.filter(\.canBeEncrypted).map(Datatype.encrypted)
    + [nil, .int64, .double].flatMap {
      [Datatype.number(preferred: $0), .numberList(preferred: $0)]
    }

  mutating func schema() -> Schema {
    var schema = Schema()
    for _ in 0..<Int.random(in: 0...3, using: &generator) { schema.roles.insert(name()) }
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      schema.define(type(roles: schema.roles.sorted()))
    }
    if Bool.random(using: &generator) { schema.define(SystemType.users.definition) }
    if Bool.random(using: &generator) { schema.define(share()) }
    return schema
  }

  private mutating func share() -> RecordTypeDefinition {
    var share = SystemType.share.definition
    share.define(
      FieldDefinition(
        name: "cloudkit.title", datatype: .plain(.string), indexes: indexes([.searchable])))
    return share
  }

  private mutating func type(roles: [String]) -> RecordTypeDefinition {
    var type = RecordTypeDefinition(name: name())
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let datatype = Self.datatypes.randomElement(using: &generator) ?? .plain(.string)
      type.define(
        FieldDefinition(
          name: name(), datatype: datatype, indexes: indexes(datatype.possibleIndexes)))
    }
    for field in SystemField.allCases {
      type[indexesOf: field] = indexes(Datatype.plain(field.type).possibleIndexes)
    }
    for role in roles + SystemRole.allCases.map(\.rawValue) {
      type.grants[role] = RecordPermissions(rawValue: UInt8.random(in: 0...7, using: &generator))
    }
    return type
  }

  private mutating func indexes(_ possible: FieldIndexes) -> FieldIndexes {
    FieldIndexes(rawValue: UInt8.random(in: 0...7, using: &generator)).intersection(possible)
  }

  private static let hardNames = [
    "grant", "GRANT", "Preferred", "queryable", "Sortable", "searchable", "RECORD", "type", "LIST",
    "to", "read",
    "list",
    "encrypted", "NUMBER", "define", "create", "role", "as", "x", "X",
  ]

  private mutating func name() -> String {
    if Bool.random(using: &generator) {
      return Self.hardNames.randomElement(using: &generator) ?? "x"
    }
    let letters = Array("abcxyzABCXYZ0123456789_")
    let length = Int.random(in: 0...12, using: &generator)
    return "n" + String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "x" })
  }
}
