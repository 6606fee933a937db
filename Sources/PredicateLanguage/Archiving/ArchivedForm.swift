import Foundation

/// The classes that an expression is archived as, one for each kind, as in Apple's archives.
///
/// An archiver names classes, not objects, so each form has one, at the top level, because
/// Foundation has no names for nested classes. They are never created by decoding: `NSExpression`
/// decodes all forms itself.
enum ArchivedForm {
  static let classes: [(name: String, type: AnyClass)] = [
    ("NSConstantValueExpression", ConstantForm.self),
    ("NSConstantValueExpression", FunctionsClassForm.self),
    ("NSSelfExpression", EvaluatedObjectForm.self), ("NSVariableExpression", VariableForm.self),
    ("NSFunctionExpression", FunctionForm.self), ("NSKeyPathExpression", KeyPathForm.self),
    ("NSKeyPathSpecifierExpression", KeyPathSpecifierForm.self),
    ("NSAggregateExpression", AggregateForm.self), ("NSSetExpression", SetOperationForm.self),
    ("NSSubqueryExpression", SubqueryForm.self), ("NSTernaryExpression", TernaryForm.self),
    ("NSAnyKeyExpression", AnyKeyForm.self),
  ]

  /// The class that an expression is archived as; nil if it has no archived form.
  static func type(of node: ExpressionNode) -> AnyClass? {
    switch node {
    case .constant: ConstantForm.self
    case .evaluatedObject: EvaluatedObjectForm.self
    case .variable: VariableForm.self
    case .keyPath: KeyPathForm.self
    case .function: node.keyPathOfOperand == nil ? FunctionForm.self : KeyPathForm.self
    case .unionSet, .intersectSet, .minusSet: SetOperationForm.self
    case .subquery: SubqueryForm.self
    case .aggregate: AggregateForm.self
    case .anyKey: AnyKeyForm.self
    case .conditional: TernaryForm.self
    case .block, .custom: nil
    }
  }
}

final class ConstantForm: NSExpression, @unchecked Sendable {}
final class EvaluatedObjectForm: NSExpression, @unchecked Sendable {}
final class VariableForm: NSExpression, @unchecked Sendable {}
class FunctionForm: NSExpression, @unchecked Sendable {}
final class KeyPathForm: FunctionForm, @unchecked Sendable {}
final class AggregateForm: NSExpression, @unchecked Sendable {}
final class SetOperationForm: NSExpression, @unchecked Sendable {}
final class SubqueryForm: NSExpression, @unchecked Sendable {}
final class TernaryForm: NSExpression, @unchecked Sendable {}
final class AnyKeyForm: NSExpression, @unchecked Sendable {}

/// The argument of a key path expression.
final class KeyPathSpecifierForm: NSExpression, @unchecked Sendable {
  /// A type without a public name.
  static let type = 10

  override var classForCoder: AnyClass { KeyPathSpecifierForm.self }

  override func encode(with coder: NSCoder) {
    coder.encode(Self.type, forKey: "NSExpressionType")
    coder.encode(keyPath, forKey: "NSKeyPath")
  }
}

/// The operand of a predefined function: the class that implements it.
final class FunctionsClassForm: NSExpression, @unchecked Sendable {
  static let name = "_NSPredicateUtilities"

  override var classForCoder: AnyClass { FunctionsClassForm.self }

  override func encode(with coder: NSCoder) {
    coder.encode(0, forKey: "NSExpressionType")
    coder.encode(Self.name, forKey: "NSConstantValueClassName")
  }
}

/// The archived form of `TRUEPREDICATE` inside other predicates.
final class ArchivedTrue: NSPredicate {
  override var classForCoder: AnyClass { ArchivedTrue.self }
}

/// The archived form of `FALSEPREDICATE` inside other predicates.
final class ArchivedFalse: NSPredicate {
  override var classForCoder: AnyClass { ArchivedFalse.self }
}
