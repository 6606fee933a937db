public import Foundation

/// A description of one element of an index: a property, or a computed value, and its arrangement.
// Sendable: immutable once in use, guarded by `useMark`; confined to its builder before that.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  weak var owner: NSFetchIndexDescription?

  /// The indexed property; an `NSExpressionDescription` for a computed value.
  open internal(set) var property: NSPropertyDescription?

  /// The name of the indexed property.
  open var propertyName: String? { property?.name }

  /// The arrangement of the values.
  open var collationType: NSFetchIndexElementType {
    get { storedCollationType }
    set { storedCollationType = editable(newValue) }
  }

  private var storedCollationType: NSFetchIndexElementType

  /// Whether the values are in ascending order.
  open var isAscending: Bool {
    get { storedIsAscending }
    set { storedIsAscending = editable(newValue) }
  }

  private var storedIsAscending = true

  /// The index that the element belongs to.
  open var indexDescription: NSFetchIndexDescription? { owner }

  private init(collationType: NSFetchIndexElementType) {
    storedCollationType = collationType
    super.init()
  }

  /// Creates an element for a property, or for an expression description that computes the value to
  /// index.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.property = property
    storedCollationType = collationType
    super.init()
  }

  /// Returns a copy that belongs to no index and can be edited.
  ///
  /// It refers to the same property, or to a copy of an expression description.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexElementDescription(collationType: collationType)
    copy.property =
      property is NSExpressionDescription ? property?.copy() as? NSPropertyDescription : property
    copy.isAscending = isAscending
    return copy
  }

  /// Whether the other element has an equal description.
  ///
  /// Properties are compared by name, expressions by their content.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexElementDescription else { return false }
    return other === self
      || (propertyName == other.propertyName && expression == other.expression
        && collationType == other.collationType && isAscending == other.isAscending)
  }

  /// A hash value that equal descriptions share.
  open override var hash: Int { propertyName.hashValue }

  private var expression: NSExpressionDescription? { property as? NSExpressionDescription }

  func requireEditable() {
    useMark.requireEditable("The index element \(propertyName ?? "without a property")")
  }

  /// Returns a new value, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
