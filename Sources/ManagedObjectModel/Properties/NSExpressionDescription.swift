public import PredicateLanguage

/// A description of a computed column in a fetch of dictionaries.
// Sendable: like its superclass.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  /// The expression that computes the value.
  open var expression: PredicateLanguage.NSExpression? {
    get { storedExpression }
    set { storedExpression = editable(newValue) }
  }

  private var storedExpression: PredicateLanguage.NSExpression?

  /// The type of the computed value.
  open var expressionResultType: NSAttributeType {
    get { storedExpressionResultType }
    set { storedExpressionResultType = editable(newValue) }
  }

  private var storedExpressionResultType = NSAttributeType.undefinedAttributeType

  /// The type of the computed value: `expressionResultType` with shorter case names.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSExpressionDescription else { return }
    copy.expression = expression
    copy.expressionResultType = expressionResultType
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSExpressionDescription, super.isEqualDescription(to: other) else {
      return false
    }
    return expressionResultType == other.expressionResultType
      && valuesAreEqual(expression, other.expression)
  }
}
