import Foundation
import PredicateLanguage
import PropertyLists

/// Writes predicates in the form that `PredicateArchiveReader` describes.
enum PredicateArchiver {
  /// Adds a predicate; nil is `$null`.
  static func add(
    _ predicate: NSPredicate?, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let predicate else { return KeyedArchiveBuilder.null }
    switch predicate.node {
    case .constant(let value):
      return builder.add(value ? "NSTruePredicate" : "NSFalsePredicate", [:])
    case .comparison(let comparison): return try add(comparison, to: &builder, at: path)
    case .not(let part): return try addCompound(0, of: [part], to: &builder, at: path)
    case .and(let parts): return try addCompound(1, of: parts, to: &builder, at: path)
    case .or(let parts): return try addCompound(2, of: parts, to: &builder, at: path)
    case .opaque:
      throw ModelArchiveError(
        .notArchivable,
        "A predicate of type \(type(of: predicate)) has no archived form. Write it as a format string.",
        at: path)
    }
  }

  private static func addCompound(
    _ type: Int, of parts: [NSPredicate], to builder: inout KeyedArchiveBuilder,
    at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var references: [PropertyList] = []
    for part in parts { references.append(try add(part, to: &builder, at: path)) }
    let array = builder.array(references)
    return builder.add(
      "NSCompoundPredicate",
      ["NSCompoundPredicateType": .integer(Int128(type)), "NSSubpredicates": array])
  }

  private static func add(
    _ comparison: NSComparisonPredicate, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    let left = try ExpressionArchiver.add(comparison.leftExpression, to: &builder, at: path)
    let right = try ExpressionArchiver.add(comparison.rightExpression, to: &builder, at: path)
    return builder.add(
      "NSComparisonPredicate",
      [
        "NSLeftExpression": left, "NSRightExpression": right,
        "NSPredicateOperator": addOperator(of: comparison, to: &builder),
      ])
  }

  private static func addOperator(
    of comparison: NSComparisonPredicate, to builder: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let type = PropertyList.integer(Int128(comparison.predicateOperatorType.rawValue))
    let options = PropertyList.integer(Int128(comparison.options.rawValue))
    var fields: [String: PropertyList] = [
      "NSOperatorType": type,
      "NSModifier": .integer(Int128(comparison.comparisonPredicateModifier.rawValue)),
    ]
    let className: String
    switch comparison.predicateOperatorType {
    case .equalTo, .notEqualTo:
      className = "NSEqualityPredicateOperator"
      fields["NSOptions"] = options
      fields["NSNegate"] = .boolean(comparison.predicateOperatorType == .notEqualTo)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      className = "NSComparisonPredicateOperator"
      fields["NSOptions"] = options
      fields["NSVariant"] = type
    case .between:
      className = "NSBetweenPredicateOperator"
      fields["NSOptions"] = options
    case .customSelector:
      className = "NSCustomPredicateOperator"
      fields["NSSelectorName"] = builder.string(comparison.customSelectorName)
      // Apple archives no options for a comparison by a selector.
      if !comparison.options.isEmpty { fields["NSOptions"] = options }
    case .in, .contains:
      className = "NSInPredicateOperator"
      fields["NSFlags"] = options
    case .beginsWith, .endsWith:
      className = "NSSubstringPredicateOperator"
      fields["NSFlags"] = options
      fields["NSPosition"] = .integer(comparison.predicateOperatorType == .beginsWith ? 0 : 1)
    case .like:
      className = "NSLikePredicateOperator"
      fields["NSFlags"] = options
    case .matches:
      className = "NSMatchingPredicateOperator"
      fields["NSFlags"] = options
    }
    return builder.add(className, fields)
  }
}
