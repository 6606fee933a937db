import Foundation

/// The names of Apple's private classes in archives of predicates and expressions.
///
/// Foundation here has no classes with these names, so archivers and unarchivers are told ours.
/// Nested objects are found through the coder itself; an archive whose root is an expression also
/// needs `registered`, which runs when the first expression is created.
enum ArchivedNames {
  /// The class that each name is decoded as.
  private static let decoded: [(name: String, type: AnyClass)] =
    [
      "NSConstantValueExpression", "NSSelfExpression", "NSVariableExpression",
      "NSKeyPathExpression", "NSKeyPathSpecifierExpression", "NSFunctionExpression",
      "NSAggregateExpression", "NSSetExpression", "NSSubqueryExpression", "NSTernaryExpression",
      "NSAnyKeyExpression",
    ].map { ($0, NSExpression.self) }
    + ArchivedOperator.classes.map { ($0.name, ArchivedOperator.self) }
    + [
      ("NSComparisonPredicate", NSComparisonPredicate.self),
      ("NSTruePredicate", ArchivedTrue.self), ("NSFalsePredicate", ArchivedFalse.self),
    ]

  /// The name that each class is encoded as.
  private static let encoded: [(name: String, type: AnyClass)] =
    ArchivedForm.classes + ArchivedOperator.classes + [
      ("NSExpression", NSExpression.self), ("NSTruePredicate", ArchivedTrue.self),
      ("NSFalsePredicate", ArchivedFalse.self),
    ]

  /// Foundation's class with the archived name of comparisons, which has no instances here.
  static let comparisonClass: AnyClass =
    NSClassFromString("NSComparisonPredicate") ?? NSComparisonPredicate.self

  /// Names the classes for all unarchivers of the process, once.
  static let registered: Void = {
    for (name, type): (String, AnyClass) in decoded {
      NSKeyedUnarchiver.setClass(type, forClassName: name)
    }
  }()

  /// Names the classes for one coder.
  static func use(in coder: NSCoder) {
    if let archiver = coder as? NSKeyedArchiver {
      guard archiver.classNameForClass(ArchivedOperator.self) == nil else { return }
      for (name, type): (String, AnyClass) in encoded { archiver.setClassName(name, for: type) }
    } else if let unarchiver = coder as? NSKeyedUnarchiver {
      guard unarchiver.class(forClassName: "NSAnyKeyExpression") == nil else { return }
      for (name, type): (String, AnyClass) in decoded {
        unarchiver.setClass(type, forClassName: name)
      }
    }
  }
}
