import Foundation
import PredicateLanguage
import PropertyLists

/// Reads archived predicates.
///
/// | class | keys |
/// |---|---|
/// | `NSComparisonPredicate` | `NSLeftExpression`, `NSRightExpression`, `NSPredicateOperator` |
/// | `NSCompoundPredicate` | `NSCompoundPredicateType` (0 NOT, 1 AND, 2 OR), `NSSubpredicates` |
/// | `NSTruePredicate`, `NSFalsePredicate` | none |
///
/// Operators are objects of several classes. Their keys are `NSOperatorType`, with Apple's public
/// numbers; `NSModifier`; and the string options: `NSOptions` in some classes, `NSFlags` in others.
enum PredicateArchiveReader {
  static func read(_ object: ArchivedObject) throws(ModelArchiveError) -> NSPredicate {
    if object.isKind(of: "NSComparisonPredicate") { return try comparison(object) }
    if object.isKind(of: "NSCompoundPredicate") { return try compound(object) }
    if object.isKind(of: "NSTruePredicate") { return NSPredicate(value: true) }
    if object.isKind(of: "NSFalsePredicate") { return NSPredicate(value: false) }
    throw object.error(.unknownClass, "\(object.className) is not a predicate that can be read.")
  }

  /// The predicate at a key, if any.
  static func read(_ key: String, of object: ArchivedObject) throws(ModelArchiveError)
    -> NSPredicate?
  {
    guard let predicate = try object.object(key) else { return nil }
    return try read(predicate)
  }

  private static func compound(_ object: ArchivedObject) throws(ModelArchiveError) -> NSPredicate {
    let number = try object.integer("NSCompoundPredicateType", in: 0...2)
    var parts: [NSPredicate] = []
    for element in try object.elements("NSSubpredicates") {
      guard case .object(let part) = element else {
        throw object.error(
          .wrongKind, "The parts of a compound must be predicates.", key: "NSSubpredicates")
      }
      parts.append(try read(part))
    }
    guard number != 0 || parts.count == 1 else {
      throw object.error(
        .contradiction, "A negation must have one part, not \(parts.count).", key: "NSSubpredicates"
      )
    }
    let type: NSCompoundPredicate.LogicalType = number == 0 ? .not : number == 1 ? .and : .or
    return CompoundPredicate(type: type, subpredicates: parts)
  }

  private static func comparison(_ object: ArchivedObject) throws(ModelArchiveError) -> NSPredicate
  {
    let left = try ExpressionArchiveReader.read(object.requiredObject("NSLeftExpression"))
    let right = try ExpressionArchiveReader.read(object.requiredObject("NSRightExpression"))
    let description = try object.requiredObject("NSPredicateOperator")
    let number = try description.integer("NSOperatorType", in: 0...1000)
    guard let type = NSComparisonPredicate.Operator(rawValue: UInt(number)) else {
      throw description.error(
        .contradiction, "No comparison has the number \(number).", key: "NSOperatorType")
    }
    if type == .customSelector {
      return NSComparisonPredicate(
        leftExpression: left, rightExpression: right, modifier: try modifier(of: description),
        selectorName: try description.requiredString("NSSelectorName"),
        options: try options(of: description))
    }
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: try modifier(of: description),
      type: type,
      options: try options(of: description))
  }

  private static func modifier(
    of description: ArchivedObject
  ) throws(ModelArchiveError) -> NSComparisonPredicate.Modifier {
    let number = try description.integer("NSModifier", in: 0...2)
    return NSComparisonPredicate.Modifier(rawValue: UInt(number)) ?? .direct
  }

  private static func options(
    of description: ArchivedObject
  ) throws(ModelArchiveError) -> NSComparisonPredicate.Options {
    let key = description.fields["NSOptions"] != nil ? "NSOptions" : "NSFlags"
    return NSComparisonPredicate.Options(rawValue: UInt(try description.integer(key, in: 0...15)))
  }
}
