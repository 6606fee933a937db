import Foundation
import PredicateLanguage

/// Predicate format strings: a parsed predicate survives printing and parsing, and evaluates or
/// throws.
///
/// A valid format is also parsed with arguments of other types and numbers.
enum PredicateFormatTarget: FuzzTarget {
  static let name = "predicate-format"

  static func run(_ bytes: [UInt8]) {
    let arguments: [Any] = ["name", 1, [1, 2]]
    guard let text = String(validating: bytes, as: UTF8.self),
      let predicate = try? NSPredicate(parsing: text, arguments: arguments)
    else { return }
    for others in [
      [1, "name", Date()], [PredicateLanguage.NSExpression(forKeyPath: "age"), NSNull()], [],
    ] as [[Any]] {
      _ = try? NSPredicate(parsing: text, arguments: others)
    }
    let printed = predicate.formatText
    let again = try? NSPredicate(parsing: printed)
    require(again?.formatText == printed, "\(printed) changes when it is parsed and printed")
    let object: [String: Any] = ["name": "x", "age": 3, "tags": ["a", "b"]]
    _ = try? predicate.evaluated(with: object, substitutionVariables: ["x": 2])
  }
}
