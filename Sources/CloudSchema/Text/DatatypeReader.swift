import CloudRecords

/// Parses a field's datatype: a primitive type, or a list of one.
enum DatatypeReader {
  static func read(
    from parser: inout SchemaParser, field: String, type: String
  ) throws(SchemaIssue) -> Datatype {
    let place = "the field '\(field)' in record '\(type)'"
    guard try parser.take(word: "LIST") else { return try primitive(from: &parser, place) }
    try parser.expect(sign: "<", "Lists name the type of their members: LIST<STRING>.")
    let member = try primitive(from: &parser, place)
    try parser.expect(sign: ">", "Lists name the type of their members: LIST<STRING>.")
    return listed(member)
  }

  private static func listed(_ member: Datatype) -> Datatype {
    switch member {
    case .plain(let type): .plain(type.list ?? type)
    case .encrypted(let type): .encrypted(type.list ?? type)
    case .number(let preference), .numberList(let preference): .numberList(preferred: preference)
    }
  }

  private static func primitive(from parser: inout SchemaParser, _ place: String)
    throws(SchemaIssue) -> Datatype
  {
    if try parser.take(word: "NUMBER") { return .number(preferred: try preference(from: &parser)) }
    guard try parser.take(word: "ENCRYPTED") else {
      guard let type = try takeType(from: &parser, among: plainTypes) else {
        throw unknown(parser, names(plainTypes) + ", NUMBER", place)
      }
      return .plain(type)
    }
    guard let type = try takeType(from: &parser, among: sealableTypes) else {
      throw unknown(parser, names(sealableTypes), "ENCRYPTED of " + place)
    }
    return .encrypted(type)
  }

  private static func preference(
    from parser: inout SchemaParser
  ) throws(SchemaIssue) -> Datatype.NumberPreference? {
    guard try parser.take(word: "PREFERRED") else { return nil }
    let rule = "A number's preference is PREFERRED AS INT64 or PREFERRED AS DOUBLE."
    try parser.expect(word: "AS", rule)
    for preference in Datatype.NumberPreference.allCases
    where try parser.take(word: preference.rawValue) {
      return preference
    }
    throw parser.unexpected("INT64 or DOUBLE", rule)
  }

  private static func takeType(
    from parser: inout SchemaParser, among types: [FieldType]
  ) throws(SchemaIssue) -> FieldType? {
    for type in types where try parser.take(word: Datatype.primitiveName(type)) { return type }
    return nil
  }

  private static let plainTypes = FieldType.allCases.filter { !$0.isList }
  private static let sealableTypes = plainTypes.filter(\.canBeEncrypted)

  private static func names(_ types: [FieldType]) -> String {
    types.map(Datatype.primitiveName).joined(separator: ", ")
  }

  private static func unknown(_ parser: borrowing SchemaParser, _ names: String, _ place: String)
    -> SchemaIssue
  {
    parser.unexpected("a type for \(place)", "The types are \(names).")
  }
}
