/// An error of SQLite, with its place and a remedy.
public struct SQLiteError: Error, Sendable {
  /// SQLite's extended result code.
  package let code: Code

  /// SQLite's message, or this module's if SQLite has none.
  package let message: String

  /// The place of the error.
  package let context: Context

  package init(code: Code, message: String, context: Context = Context()) {
    self.code = code
    self.message = message
    self.context = context
  }
}

extension SQLiteError: CustomStringConvertible {
  /// One paragraph: the message, the code, the place, and the remedy.
  public var description: String {
    var parts = ["\(message) (\(code))"]
    if let path = context.path { parts.append("in \(path)") }
    if let sql = context.sql { parts.append("while running \u{201C}\(sql)\u{201D}") }
    if let offset = context.sqlOffset { parts.append("at byte \(offset) of the SQL") }
    if let number = context.systemError { parts.append("system error \(number)") }
    return parts.joined(separator: ", ") + ". " + remedy
  }
}
