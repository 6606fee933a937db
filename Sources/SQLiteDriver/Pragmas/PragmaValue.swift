/// A type of pragma values.
package protocol PragmaValue: Sendable {
  /// Converts SQLite's answer; nil if it is not of this type.
  init?(pragmaValue: Value)

  /// The value as SQL.
  var pragmaLiteral: String { get }
}

extension Int64: PragmaValue {
  package init?(pragmaValue: Value) {
    guard case .integer(let number) = pragmaValue else { return nil }
    self = number
  }

  package var pragmaLiteral: String { String(self) }
}

extension Bool: PragmaValue {
  package init?(pragmaValue: Value) {
    guard case .integer(let number) = pragmaValue else { return nil }
    self = number != 0
  }

  package var pragmaLiteral: String { self ? "1" : "0" }
}

extension String: PragmaValue {
  package init?(pragmaValue: Value) {
    guard case .text(let text) = pragmaValue else { return nil }
    self = text
  }

  package var pragmaLiteral: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
