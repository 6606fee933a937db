import Foundation

/// A key path of a value other than the evaluated object, such as `$x.name`: a call of
/// `valueForKeyPath:` on the value.
enum KeyPathFunction {
  static let name = "valueForKeyPath:"

  /// The call of `valueForKeyPath:` on a value.
  static func node(of operand: NSExpression, path: PropertyPath) -> ExpressionNode {
    .function(operand: operand, name: name, arguments: [NSExpression(.keyPath(path))])
  }

  /// The path in a call's argument: a key path, as the parser creates it, or a string, as
  /// `FUNCTION` passes it.
  static func path(of argument: NSExpression) -> String? {
    switch argument.node {
    case .keyPath(let path): path.text
    case .constant(let text?): asString(text)
    default: nil
    }
  }
}

extension ExpressionNode {
  /// The operand and the path, if the expression is a call of `valueForKeyPath:`.
  package var keyPathOfOperand: (operand: NSExpression, path: PropertyPath)? {
    guard case .function(let operand?, KeyPathFunction.name, let arguments) = self,
      arguments.count == 1,
      let path = KeyPathFunction.path(of: arguments[0])
    else { return nil }
    return (operand, PropertyPath(path))
  }
}
