import Foundation

/// Reads an expression's keys from a keyed archive; any contradiction ends the decoding.
struct ExpressionDecoding {
  let coder: NSCoder

  /// The content of the expression whose keys the coder reads; nil after a failure.
  func node() -> ExpressionNode? {
    let number = coder.decodeInteger(forKey: "NSExpressionType")
    if number == KeyPathSpecifierForm.type { return specifier }
    switch UInt(exactly: number).flatMap(NSExpression.ExpressionType.init) {
    case .constantValue: return constant
    case .evaluatedObject: return .evaluatedObject
    case .variable: return text("NSVariable").map(ExpressionNode.variable)
    case .keyPath, .function: return function
    case .unionSet: return sides.map { .unionSet($0.0, $0.1) }
    case .intersectSet: return sides.map { .intersectSet($0.0, $0.1) }
    case .minusSet: return sides.map { .minusSet($0.0, $0.1) }
    case .subquery: return subquery
    case .aggregate: return expressions("NSCollection").map(ExpressionNode.aggregate)
    case .anyKey: return .anyKey
    case .conditional: return conditional
    case .block, .fetchRequest, nil: return fail("An expression of type \(number) cannot be read.")
    }
  }

  private func fail(_ reason: String) -> ExpressionNode? {
    coder.fail(reason)
    return nil
  }

  // MARK: Kinds

  private var specifier: ExpressionNode? {
    text("NSKeyPath").map { .keyPath(PropertyPath($0)) }
  }

  private var constant: ExpressionNode? {
    if let name = coder.decodeObject(of: NSString.self, forKey: "NSConstantValueClassName") {
      guard name as String == FunctionsClassForm.name else {
        return fail("The class \(name) cannot be called.")
      }
      return .constant(FunctionsClassMark.shared)
    }
    return .constant(constantValue)
  }

  /// A constant, as the Swift type that a format string's argument has.
  private var constantValue: Any? {
    let value =
      coder.requiresSecureCoding
      ? coder.decodeObject(of: Self.constantClasses, forKey: "NSConstantValue")
      : coder.decodeObject(forKey: "NSConstantValue")
    switch value {
    case let text as NSString: return text as String
    case let date as NSDate: return date as Date
    case let data as NSData: return data as Data
    case let uuid as NSUUID: return uuid as UUID
    case let url as NSURL: return url as URL
    default: return value
    }
  }

  /// The classes that a constant of a secure archive may have.
  private static let constantClasses: [AnyClass] = [
    NSString.self, NSNumber.self, NSDecimalNumber.self, NSDate.self, NSData.self, NSUUID.self,
    NSURL.self, NSNull.self, NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
  ]

  private var function: ExpressionNode? {
    guard let operand = coder.decodeObject(of: NSExpression.self, forKey: "NSOperand"),
      let name = text("NSSelectorName"), let arguments = expressions("NSArguments")
    else { return fail("A function has NSOperand, NSSelectorName and NSArguments.") }
    if name == "valueForKey:" || name == "valueForKeyPath:", arguments.count == 1,
      case .keyPath(let path) = arguments[0].node
    {
      if case .evaluatedObject = operand.node { return .keyPath(path) }
      return .function(operand: operand, name: "valueForKeyPath:", arguments: arguments)
    }
    let isKnown = FunctionsClassMark.isOperand(operand)
    // A known function is called by name, so an unknown name must end here.
    guard !isKnown || ExpressionFunction(rawValue: name) != nil else {
      return fail("There is no function \(name).")
    }
    return .function(operand: isKnown ? nil : operand, name: name, arguments: arguments)
  }

  private var subquery: ExpressionNode? {
    guard let collection = expression("NSCollection"), let variable = text("NSVariable"),
      let predicate = coder.decodeObject(of: NSPredicate.self, forKey: "NSPredicate")
    else { return fail("A subquery has NSCollection, NSVariable and NSPredicate.") }
    return .subquery(collection: collection, variable: variable, predicate: predicate)
  }

  private var conditional: ExpressionNode? {
    guard let predicate = coder.decodeObject(of: NSPredicate.self, forKey: "NSPredicate"),
      let whenTrue = expression("NSTrueExpression"),
      let whenFalse = expression("NSFalseExpression")
    else {
      return fail("A condition has NSPredicate, NSTrueExpression and NSFalseExpression.")
    }
    return .conditional(predicate, true: whenTrue, false: whenFalse)
  }

  // MARK: Keys

  private func text(_ key: String) -> String? {
    if let text = coder.decodeObject(of: NSString.self, forKey: key) { return text as String }
    coder.fail("An expression lacks the text \(key).")
    return nil
  }

  private func expression(_ key: String) -> NSExpression? {
    let expression = coder.decodeObject(of: NSExpression.self, forKey: key)
    return expression.flatMap { FunctionsClassMark.isOperand($0) ? nil : $0 }
  }

  private var sides: (NSExpression, NSExpression)? {
    guard let left = expression("NSLeftExpression"), let right = expression("NSRightExpression")
    else {
      coder.fail("A set expression has NSLeftExpression and NSRightExpression.")
      return nil
    }
    return (left, right)
  }

  private func expressions(_ key: String) -> [NSExpression]? {
    let list = coder.decodeObject(of: [NSArray.self, NSExpression.self], forKey: key)
    guard let expressions = list as? [NSExpression],
      !expressions.contains(where: FunctionsClassMark.isOperand)
    else {
      coder.fail("The elements of \(key) must be expressions.")
      return nil
    }
    return expressions
  }
}

/// Stands for the class of the predefined functions while their operand is decoded.
private final class FunctionsClassMark: NSObject, Sendable {
  static let shared = FunctionsClassMark()

  static func isOperand(_ expression: NSExpression) -> Bool {
    guard case .constant(let value) = expression.node else { return false }
    return value as AnyObject? === shared
  }
}
