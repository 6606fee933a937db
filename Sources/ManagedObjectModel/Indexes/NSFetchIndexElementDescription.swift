public import Foundation

/// A description of one element of an index: a property, or a computed value, and how it is arranged.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSFetchIndexElementDescription: NSObject, @unchecked Sendable {
  let useMark = UseMark()
  weak var owner: NSFetchIndexDescription?

  /// The property that is indexed; an `NSExpressionDescription` where a computed value is.
  open internal(set) var property: NSPropertyDescription?

  /// The name of the indexed property.
  open var propertyName: String? { property?.name }

  /// How the values are arranged.
  open var collationType: NSFetchIndexElementType { willSet { requireEditable() } }

  /// Whether the values are arranged from the lowest to the highest.
  open var isAscending = true { willSet { requireEditable() } }

  /// The index that the element belongs to.
  open var indexDescription: NSFetchIndexDescription? { owner }

  /// Creates an element for a property, or for an expression description that computes the value to index.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.property = property
    self.collationType = collationType
    super.init()
  }

  func requireEditable() {
    useMark.requireEditable("The index element \(propertyName ?? "without a property")")
  }
}
