import Foundation

/// The archived form of a comparison's operator, modifier and options.
///
/// `PredicateArchiveReader` describes the classes and keys. `NSOptions` and `NSFlags` are two names
/// of the options.
class ArchivedOperator: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }

  let modifier: NSComparisonPredicate.Modifier
  let comparison: NSComparisonPredicate.Comparison

  init(_ predicate: NSComparisonPredicate) {
    modifier = predicate.comparisonPredicateModifier
    comparison = NSComparisonPredicate.Comparison(
      predicate.predicateOperatorType, options: predicate.options,
      selectorName: predicate.customSelectorName)
    super.init()
  }

  static let classes: [(name: String, type: AnyClass)] = [
    ("NSPredicateOperator", ArchivedOperator.self),
    ("NSEqualityPredicateOperator", EqualityOperator.self),
    ("NSComparisonPredicateOperator", OrderingOperator.self),
    ("NSBetweenPredicateOperator", BetweenOperator.self),
    ("NSCustomPredicateOperator", CustomOperator.self), ("NSInPredicateOperator", InOperator.self),
    ("NSSubstringPredicateOperator", SubstringOperator.self),
    ("NSLikePredicateOperator", LikeOperator.self),
    ("NSMatchingPredicateOperator", MatchingOperator.self),
  ]

  override var classForCoder: AnyClass {
    switch comparison.type {
    case .equalTo, .notEqualTo: EqualityOperator.self
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: OrderingOperator.self
    case .between: BetweenOperator.self
    case .customSelector: CustomOperator.self
    case .in, .contains: InOperator.self
    case .beginsWith, .endsWith: SubstringOperator.self
    case .like: LikeOperator.self
    case .matches: MatchingOperator.self
    }
  }

  func encode(with coder: NSCoder) {
    let type = Int(comparison.type.rawValue)
    coder.encode(type, forKey: "NSOperatorType")
    coder.encode(Int(modifier.rawValue), forKey: "NSModifier")
    switch comparison.type {
    case .customSelector: coder.encode(comparison.selectorName, forKey: "NSSelectorName")
    case .equalTo, .notEqualTo, .between, .lessThan, .lessThanOrEqualTo, .greaterThan,
      .greaterThanOrEqualTo:
      coder.encode(Int(comparison.options.rawValue), forKey: "NSOptions")
    default: coder.encode(Int(comparison.options.rawValue), forKey: "NSFlags")
    }
    encodeDetails(type, with: coder)
  }

  /// What repeats the type in the terms of one class.
  private func encodeDetails(_ type: Int, with coder: NSCoder) {
    switch comparison.type {
    case .equalTo, .notEqualTo: coder.encode(comparison.type == .notEqualTo, forKey: "NSNegate")
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      coder.encode(type, forKey: "NSVariant")
    case .beginsWith, .endsWith:
      coder.encode(comparison.type == .beginsWith ? 0 : 1, forKey: "NSPosition")
    default: break
    }
  }

  required init?(coder: NSCoder) {
    let number = coder.decodeInteger(forKey: "NSOperatorType")
    let modifierNumber = coder.decodeInteger(forKey: "NSModifier")
    let key = coder.containsValue(forKey: "NSOptions") ? "NSOptions" : "NSFlags"
    guard let type = UInt(exactly: number).flatMap(NSComparisonPredicate.Operator.init),
      let modifier = UInt(exactly: modifierNumber).flatMap(NSComparisonPredicate.Modifier.init),
      let options = UInt(exactly: coder.decodeInteger(forKey: key))
    else {
      coder.fail("No comparison has the number \(number) with the modifier \(modifierNumber).")
      return nil
    }
    let selector = coder.decodeObject(of: NSString.self, forKey: "NSSelectorName")
    guard (type == .customSelector) == (selector != nil) else {
      coder.fail("A comparison by a method has NSSelectorName, and no other comparison has.")
      return nil
    }
    self.modifier = modifier
    comparison = NSComparisonPredicate.Comparison(
      type, options: NSComparisonPredicate.Options(rawValue: options),
      selectorName: selector as String?)
    super.init()
  }
}

// One class for each name, at the top level, since an archiver names classes.
final class EqualityOperator: ArchivedOperator {}
final class OrderingOperator: ArchivedOperator {}
final class BetweenOperator: ArchivedOperator {}
final class CustomOperator: ArchivedOperator {}
final class InOperator: ArchivedOperator {}
final class SubstringOperator: ArchivedOperator {}
final class LikeOperator: ArchivedOperator {}
final class MatchingOperator: ArchivedOperator {}

extension NSCoder {
  /// Ends the decoding with an error.
  func fail(_ reason: String) {
    failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason]))
  }
}
