import Foundation
import PredicateLanguage

/// Predicate format strings: what is read prints to a text that reads back to the same, and
/// evaluates or throws.
///
/// What has been read is read again with arguments that may not fit, as a known format.
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
    require(again?.formatText == printed, "\(printed) does not print as it reads")
    let object: [String: Any] = ["name": "x", "age": 3, "tags": ["a", "b"]]
    _ = try? predicate.evaluated(with: object, substitutionVariables: ["x": 2])
  }
}
