import CloudRecords

/// Parses the schema language.
///
/// A syntax error ends parsing. A semantic error (a name, an index that a type cannot have, a
/// duplicate field) is recorded with its position, and parsing continues, so that all issues are
/// reported together.
///
///     schema := "DEFINE SCHEMA" { ("CREATE ROLE" name | type) ";" }
///     type   := "RECORD TYPE" name "(" [ item { "," item } ] ")"
///     item   := name datatype { "QUERYABLE" | "SORTABLE" | "SEARCHABLE" }
///             | "GRANT" permission { "," permission } "TO" name
struct SchemaParser: ~Copyable {
  private var lexer: SchemaLexer
  /// The next token.
  private(set) var current = LocatedToken(token: .end, position: TextPosition(line: 1, column: 1))
  var issues = SchemaIssues()
  let limits: ServiceLimits
  private var schema = Schema()
  /// The roles that grants name, which are checked when all created roles are known.
  var grantedRoles: [(role: String, type: String, position: TextPosition)] = []

  init(_ bytes: [UInt8], limits: ServiceLimits) {
    lexer = SchemaLexer(bytes)
    self.limits = limits
  }

  // MARK: The schema

  mutating func parse() throws(SchemaIssues) -> Schema {
    do throws(SchemaIssue) {
      try parseStatements()
    } catch {
      issues.append(error)
    }
    checkGrantedRoles()
    try issues.throwIfAny()
    return schema
  }

  private mutating func parseStatements() throws(SchemaIssue) {
    try advance()
    let purpose = "A schema begins with DEFINE SCHEMA."
    try expect(word: "DEFINE", purpose)
    try expect(word: "SCHEMA", purpose)
    while current.token != .end {
      if try take(word: "CREATE") {
        try parseRole()
      } else if try take(word: "RECORD") {
        try parseType()
      } else {
        throw unexpected("CREATE ROLE or RECORD TYPE")
      }
      try expect(sign: ";", "Every role and every record type ends with a semicolon.")
    }
  }

  private mutating func parseRole() throws(SchemaIssue) {
    try expect(word: "ROLE", "Roles are created with CREATE ROLE and a name.")
    let position = current.position
    let name = try takeName("the name of a role")
    if let defect = SchemaName.role.defect(in: name) {
      return report("The role '\(name)' \(defect).", remedy: SchemaName.remedy, at: position)
    }
    if !schema.roles.insert(name).inserted {
      report(
        "The role '\(name)' is created twice.", remedy: "Remove one of the two statements.",
        at: position)
    }
    if schema.roles.count == SchemaLimits.roles + 1 {
      report(
        "The schema creates more than \(SchemaLimits.roles) roles.",
        remedy: "Use one role for several groups of users.",
        at: position)
    }
  }

  private mutating func parseType() throws(SchemaIssue) {
    try expect(word: "TYPE", "Record types are defined with RECORD TYPE and a name.")
    let position = current.position
    let name = try takeName("the name of a record type")
    checkTypeName(name, at: position)
    var reader = RecordTypeReader(name: name)
    try reader.read(from: &self)
    if schema.defines(type: name) {
      let remedy = "Put the fields of both definitions into one."
      return report("The record type '\(name)' is defined twice.", remedy: remedy, at: position)
    }
    schema.define(reader.type)
    checkTypeCount(at: position)
  }

  private mutating func checkTypeName(_ name: String, at position: TextPosition) {
    guard let defect = SchemaName.recordType.defect(in: name) else { return }
    report("The record type '\(name)' \(defect).", remedy: SchemaName.remedy, at: position)
  }

  private mutating func checkTypeCount(at position: TextPosition) {
    guard schema.typeCount == SchemaLimits.recordTypes + 1 else { return }
    report(
      "The schema defines more than \(SchemaLimits.recordTypes) record types.",
      remedy: "Use one type for records with the same fields.", at: position)
  }

  private mutating func checkGrantedRoles() {
    for granted in grantedRoles
    where SystemRole(rawValue: granted.role) == nil && !schema.roles.contains(granted.role) {
      let known = SystemRole.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      report(
        "The record type '\(granted.type)' grants permissions to '\(granted.role)', which is not a role of the schema.",
        remedy: "Create it with CREATE ROLE, or grant them to \(known).", at: granted.position)
    }
    grantedRoles = []
  }

  // MARK: Tokens

  mutating func advance() throws(SchemaIssue) { current = try lexer.next() }

  /// Consumes a keyword, ignoring case, if it is next.
  mutating func take(word: String) throws(SchemaIssue) -> Bool {
    guard case .word(let found) = current.token, found.uppercased() == word else { return false }
    try advance()
    return true
  }

  mutating func take(sign: Character) throws(SchemaIssue) -> Bool {
    guard current.token == .sign(sign) else { return false }
    try advance()
    return true
  }

  mutating func expect(word: String, _ rule: String) throws(SchemaIssue) {
    if try !take(word: word) { throw unexpected(word, rule) }
  }

  mutating func expect(sign: Character, _ rule: String) throws(SchemaIssue) {
    if try !take(sign: sign) { throw unexpected("'\(sign)'", rule) }
  }

  /// Words of the language that are names only in quotes.
  static let reservedWords: Set<String> = [
    "GRANT", "PREFERRED", "QUERYABLE", "SORTABLE", "SEARCHABLE",
  ]

  mutating func takeName(_ purpose: String) throws(SchemaIssue) -> String {
    switch current.token {
    case .quoted(let name):
      try advance()
      return name
    case .word(let word):
      if Self.reservedWords.contains(word.uppercased()) {
        throw SchemaIssue(
          "\(word) is a keyword of the schema language.",
          remedy: "To use it as a name, write it in quotes: \"\(word)\".",
          at: current.position)
      }
      if word.hasPrefix("_") || word.hasPrefix("cloudkit.") {
        report(
          "The name \(current.token.name) is a system name.",
          remedy: "Write it in quotes: \"\(word.prefix(SchemaToken.longestReportedWord))\".",
          at: current.position)
      }
      try advance()
      return word
    case .sign, .end: throw unexpected(purpose)
    }
  }

  func unexpected(_ expected: String, _ rule: String? = nil) -> SchemaIssue {
    let remedy = rule ?? "Also check the text before it."
    return SchemaIssue(
      "Expected \(expected), found \(current.token.name).", remedy: remedy, at: current.position)
  }

  mutating func report(_ sentence: String, remedy: String, at position: TextPosition) {
    issues.append(SchemaIssue(sentence, remedy: remedy, at: position))
  }
}
