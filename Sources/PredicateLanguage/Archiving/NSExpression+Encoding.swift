import Foundation

/// The keys of archived expressions, which `ExpressionArchiveReader` describes for compiled models.
extension NSExpression {
  func encodeNode(with coder: NSCoder) {
    coder.encode(Int(expressionType.rawValue), forKey: "NSExpressionType")
    switch node {
    case .evaluatedObject, .anyKey: break
    case .constant(let value): encode(constant: value, with: coder)
    case .variable(let name): coder.encode(name, forKey: "NSVariable")
    case .keyPath(let path):
      encode(path, of: .expressionForEvaluatedObject(), isSingle: path.components.count == 1, coder)
    case .function(let operand, let name, let arguments):
      if let (value, path) = node.keyPathOfOperand {
        encode(path, of: value, isSingle: false, coder)
      } else {
        coder.encode(operand ?? FunctionsClassForm(.anyKey), forKey: "NSOperand")
        coder.encode(name, forKey: "NSSelectorName")
        coder.encode(arguments as NSArray, forKey: "NSArguments")
      }
    case .unionSet(let left, let right), .intersectSet(let left, let right),
      .minusSet(let left, let right):
      coder.encode(left, forKey: "NSLeftExpression")
      coder.encode(right, forKey: "NSRightExpression")
    case .aggregate(let elements): coder.encode(elements as NSArray, forKey: "NSCollection")
    case .subquery(let collection, let variable, let predicate):
      coder.encode(collection, forKey: "NSCollection")
      coder.encode(variable, forKey: "NSVariable")
      coder.encode(predicate.archivable, forKey: "NSPredicate")
    case .conditional(let predicate, let whenTrue, let whenFalse):
      coder.encode(predicate.archivable, forKey: "NSPredicate")
      coder.encode(whenTrue, forKey: "NSTrueExpression")
      coder.encode(whenFalse, forKey: "NSFalseExpression")
    case .block, .custom:
      preconditionFailure(
        """
        A block or an expression of an application's own class has no archived form. A subclass \
        must override encode(with:).
        """
      )
    }
  }

  private func encode(
    _ path: PropertyPath, of operand: NSExpression, isSingle: Bool, _ coder: NSCoder
  ) {
    let specifier = KeyPathSpecifierForm(.keyPath(path))
    coder.encode(operand, forKey: "NSOperand")
    coder.encode(isSingle ? "valueForKey:" : "valueForKeyPath:", forKey: "NSSelectorName")
    coder.encode(NSMutableArray(array: [specifier]), forKey: "NSArguments")
  }

  private func encode(constant value: Any?, with coder: NSCoder) {
    guard let value else { return }
    guard let object = value as AnyObject as? any NSCoding else {
      preconditionFailure(
        """
        The constant \(value) of type \(Swift.type(of: value)) has no archived form. Use a value \
        that adopts NSCoding, or a substitution variable.
        """
      )
    }
    coder.encode(object, forKey: "NSConstantValue")
  }
}
