import Foundation

/// Writes predicates and expressions as format strings in Apple's style, which can be parsed again.
///
/// A value without a text form (a closure, a managed object as a constant) prints as its
/// description and cannot be parsed.
struct FormatPrinter {
  private(set) var output = ""

  static func text(of predicate: NSPredicate) -> String {
    var printer = FormatPrinter()
    printer.write(predicate)
    return printer.output
  }

  static func text(of expression: NSExpression) -> String {
    var printer = FormatPrinter()
    printer.write(expression)
    return printer.output
  }

  mutating func write(_ text: String) { output += text }
}

// MARK: - Predicates

extension FormatPrinter {
  mutating func write(_ predicate: NSPredicate) {
    switch predicate.simplifiedNode {
    case .constant(let value): write(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
    case .comparison(let comparison): write(comparison)
    case .and(let parts): write(parts, joinedBy: " AND ")
    case .or(let parts): write(parts, joinedBy: " OR ")
    case .not(let part):
      write("NOT ")
      writePart(part)
    case .opaque(let predicate):
      write(type(of: predicate) == NSPredicate.self ? "BLOCKPREDICATE" : predicate.description)
    }
  }

  private mutating func write(_ parts: [NSPredicate], joinedBy word: String) {
    for (index, part) in parts.enumerated() {
      if index > 0 { write(word) }
      writePart(part)
    }
  }

  /// Writes a part of a compound.
  ///
  /// A part that is itself a compound of several goes in parentheses.
  private mutating func writePart(_ part: NSPredicate) {
    switch part.simplifiedNode {
    case .and, .or:
      write("(")
      write(part)
      write(")")
    default: write(part)
    }
  }

  private mutating func write(_ comparison: NSComparisonPredicate) {
    switch comparison.comparisonPredicateModifier {
    case .direct: break
    case .any: write("ANY ")
    case .all: write("ALL ")
    }
    write(comparison.leftExpression)
    write(" \(Self.name(of: comparison)) ")
    write(comparison.rightExpression)
  }

  /// The operator with its options.
  static func name(of comparison: NSComparisonPredicate) -> String {
    let options = comparison.options
    let letters =
      (options.contains(.caseInsensitive) ? "c" : "")
      + (options.contains(.diacriticInsensitive) ? "d" : "")
      + (options.contains(.normalized) ? "n" : "") + (options.contains(.localeSensitive) ? "l" : "")
    return comparison.operatorWord + (letters.isEmpty ? "" : "[\(letters)]")
  }
}

extension NSComparisonPredicate {
  fileprivate var operatorWord: String {
    switch predicateOperatorType {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "=="
    case .notEqualTo: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    case .customSelector:
      customSelectorName == Self.tokenMatchesSelectorName
        ? "TOKENMATCHES" : customSelectorName ?? ""
    }
  }
}
