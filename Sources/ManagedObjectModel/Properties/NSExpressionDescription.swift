import Foundation

/// A description of a column that a fetch of dictionaries computes.
// Sendable: as its superclass.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  /// The type of the computed value.
  open var expressionResultType = NSAttributeType.undefinedAttributeType { willSet { requireEditable() } }

  /// The type of the computed value, under its short name.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }
}
