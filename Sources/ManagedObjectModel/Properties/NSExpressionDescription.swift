public import Foundation
public import PredicateLanguage

/// A description of a computed column in a fetch of dictionaries.
///
/// Its archives omit the user info, validation predicates and index marks. A decoded expression
/// cannot be evaluated outside of fetches until `NSExpression.allowEvaluation()` is called.
// Sendable: like its superclass.
open class NSExpressionDescription: NSPropertyDescription, NSSecureCoding, @unchecked Sendable {
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

  // MARK: Archives

  /// Whether descriptions can be decoded from archives of unknown origin: true.
  public static var supportsSecureCoding: Bool { true }

  /// Reads a description from a keyed archive of this platform.
  public required convenience init?(coder: NSCoder) {
    self.init()
    guard decode(from: coder) else { return nil }
  }

  /// Writes the description to a keyed archive.
  ///
  /// An expression without an archived form stops the program, as an exception does on Apple's
  /// platforms.
  open func encode(with coder: NSCoder) { encodeParts(with: coder) }

  // MARK: Copies and equality

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
