extension Connection {
  /// Reads a setting.
  package func get<Setting>(_ pragma: Pragma<Setting>) throws(SQLiteError) -> Setting {
    try setting(of: pragma, from: try value("PRAGMA \(identifier(pragma.name))"))
  }

  /// Changes a setting.
  ///
  /// SQLite does not fail if it cannot apply a setting, such as write-ahead logging in memory, or
  /// another page size once there are pages.
  ///
  /// - Returns: The resulting value, which shows whether the change was made.
  @discardableResult
  package func set<Setting>(_ pragma: Pragma<Setting>, to setting: Setting) throws(SQLiteError)
    -> Setting
  {
    try setPragma(named: pragma.name, to: setting.pragmaLiteral, quoted: true)
    return try get(pragma)
  }

  /// Changes a setting by name and text, as in an application's dictionary of pragmas.
  ///
  /// The name is validated, and the text is quoted if necessary, so neither can contain other SQL.
  ///
  /// - Returns: SQLite's answer, if any.
  @discardableResult
  package func setPragma(named name: String, to text: String) throws(SQLiteError) -> Value? {
    try setPragma(named: name, to: text.isPragmaWord ? text : text.pragmaLiteral, quoted: true)
  }

  @discardableResult
  private func setPragma(named name: String, to literal: String, quoted: Bool) throws(SQLiteError)
    -> Value?
  {
    // Some pragmas take effect when they are compiled, so their statements must not be reused.
    defer { clearStatementCache() }
    return try value("PRAGMA \(identifier(name)) = \(literal)")
  }

  private func identifier(_ name: String) throws(SQLiteError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0.isIdentifierByte }) else {
      throw SQLiteError(
        code: .misuse, message: "\u{201C}\(name)\u{201D} is not the name of a pragma",
        context: .init(path: location.description))
    }
    return name
  }

  private func setting<Setting: PragmaValue>(
    of pragma: Pragma<Setting>, from value: Value?
  ) throws(SQLiteError) -> Setting {
    if let value, let setting = Setting(pragmaValue: value) { return setting }
    let answer = value.map { "\($0)" } ?? "nothing"
    throw SQLiteError(
      code: .typeMismatch,
      message: "PRAGMA \(pragma.name) answers \(answer), which is not a valid \(Setting.self)",
      context: .init(path: location.description))
  }
}

extension String {
  /// Whether the text is a keyword or a number, which a pragma takes without quotes.
  fileprivate var isPragmaWord: Bool {
    let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : Substring(self).utf8
    return !digits.isEmpty && digits.allSatisfy { $0.isIdentifierByte }
  }
}

extension UInt8 {
  fileprivate var isIdentifierByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
