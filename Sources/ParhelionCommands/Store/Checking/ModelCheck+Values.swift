import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Values of attributes: each must be valid for its attribute's type.
extension ModelCheck {
  mutating func checkValues(of table: TableSchema) throws(SQLiteError) {
    for (attribute, column) in table.storedAttributes {
      guard let wanted = WantedValue(attribute, column) else { continue }
      try noteRows(
        "value", of: table.name,
        "SELECT Z_PK, \(ShownValue.columns(column)) FROM \(table.name) WHERE \(column) NOT NULL AND NOT (\(wanted.condition)) ORDER BY Z_PK"
      ) { row in
        "\(column) has \(ShownValue.text(row, at: 1)), which is not a valid \(wanted.name) for the attribute \(attribute.name)."
      }
    }
  }
}

/// The condition for a stored value that its attribute can represent exactly.
private struct WantedValue {
  let condition: String
  let name: String

  /// Nil if any value is valid.
  init?(_ attribute: NSAttributeDescription, _ column: String) {
    switch attribute.attributeType {
    case .integer16AttributeType:
      self.init(whole: column, Int64(Int16.min)...Int64(Int16.max), "Integer 16")
    case .integer32AttributeType:
      self.init(whole: column, Int64(Int32.min)...Int64(Int32.max), "Integer 32")
    case .integer64AttributeType: self.init(whole: column, .min ... .max, "Integer 64")
    case .booleanAttributeType: self.init(whole: column, 0...1, "Boolean")
    case .floatAttributeType:
      self.init(number: column, "Float", "\(ValueFunctions.isFloat)(\(column))")
    // A number may be infinite, a date may not.
    case .doubleAttributeType: self.init(number: column, "Double", nil)
    case .dateAttributeType:
      self.init(number: column, "Date", "NOT (\(ShownValue.isInfinite(column)))")
    case .decimalAttributeType:
      self.init(number: column, "Decimal", "\(ValueFunctions.isDecimal)(\(column))")
    case .stringAttributeType: self.init(text: column, "String of UTF-8", ValueFunctions.isUTF8)
    case .URIAttributeType: self.init(text: column, "URI", ValueFunctions.isURL)
    case .UUIDAttributeType:
      self.init("typeof(\(column)) = 'blob' AND length(\(column)) = 16", "UUID of 16 bytes")
    case .binaryDataAttributeType, .transformableAttributeType:
      self.init("typeof(\(column)) = 'blob'", "data")
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
    }
  }

  private init(_ condition: String, _ name: String) {
    self.condition = condition
    self.name = name
  }

  private init(whole column: String, _ range: ClosedRange<Int64>, _ name: String) {
    // The smallest integer has no literal.
    let fits =
      range.lowerBound == .min
      ? "" : " AND \(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    self.init("typeof(\(column)) = 'integer'\(fits)", name)
  }

  private init(number column: String, _ name: String, _ further: String?) {
    let numbers = "typeof(\(column)) IN ('integer', 'real')"
    self.init(further.map { "\(numbers) AND \($0)" } ?? numbers, name)
  }

  private init(text column: String, _ name: String, _ function: String) {
    self.init("typeof(\(column)) = 'text' AND \(function)(\(column))", name)
  }
}

/// SQL functions for conditions that SQL cannot express.
private enum ValueFunctions {
  static let isUTF8 = "ParhelionIsUTF8"
  static let isURL = "ParhelionIsURL"
  static let isFloat = "ParhelionIsFloat"
  static let isDecimal = "ParhelionIsDecimal"
}

func registerValueFunctions(on connection: Connection) throws(SQLiteError) {
  let functions: [(String, (borrowing FunctionArguments) -> Bool)] = [
    (ValueFunctions.isUTF8, { $0.withText(at: 0, isUTF8) ?? false }),
    (ValueFunctions.isURL, { $0.text(at: 0).flatMap { URL(string: $0) } != nil }),
    // Rejects finite doubles that would be infinite as floats.
    (ValueFunctions.isFloat, { $0.double(at: 0).isInfinite || Float($0.double(at: 0)).isFinite }),
    (ValueFunctions.isDecimal, { Decimal(string: $0.double(at: 0).description) != nil }),
  ]
  for (name, function) in functions {
    try connection.register(function: name, arity: .exactly(1), traits: [.deterministic]) {
      arguments in
      .integer(function(arguments) ? 1 : 0)
    }
  }
}

private func isUTF8(_ bytes: Span<UInt8>) -> Bool {
  do {
    _ = try UTF8Span(validating: bytes)
    return true
  } catch {
    return false
  }
}

/// Values of derived attributes: each must equal the present value of its expression.
extension ModelCheck {
  mutating func checkDerivedValues() throws(SQLiteError) {
    for attribute in layout.derivedChecks.checks {
      try noteRows(
        "derived", of: attribute.table,
        "SELECT Z_PK FROM \(attribute.table) WHERE \(attribute.isOutOfDate) ORDER BY Z_PK"
      ) { _ in "\(attribute.column) is not the present value of \(attribute.name)." }
    }
    for attribute in layout.derivedChecks.left {
      warn(
        "derived", table: attribute.table,
        "\(attribute.name) was not checked, because the index of its members is missing.")
    }
  }
}
