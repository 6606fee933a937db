public import Foundation

/// A description of one element of an index: a property, or a computed value, and how it is
/// arranged.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  weak var owner: NSFetchIndexDescription?

  /// The property that is indexed; an `NSExpressionDescription` where a computed value is.
  open internal(set) var property: NSPropertyDescription?

  /// The name of the indexed property.
  open var propertyName: String? { property?.name }

  /// How the values are arranged.
  open var collationType: NSFetchIndexElementType {
    get { storedCollationType }
    set { storedCollationType = editable(newValue) }
  }

  private var storedCollationType: NSFetchIndexElementType

  /// Whether the values are arranged from the lowest to the highest.
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

  /// A copy that belongs to no index and can be edited.
  ///
  /// It names the same property.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexElementDescription(collationType: collationType)
    copy.property =
      property is NSExpressionDescription ? property?.copy() as? NSPropertyDescription : property
    copy.isAscending = isAscending
    return copy
  }

  /// Whether the other element says the same.
  ///
  /// Properties are compared by name, expressions by what they say.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexElementDescription else { return false }
    return other === self
      || (propertyName == other.propertyName && expression == other.expression
        && collationType == other.collationType && isAscending == other.isAscending)
  }

  /// Equal descriptions have equal hashes.
  open override var hash: Int { propertyName.hashValue }

  private var expression: NSExpressionDescription? { property as? NSExpressionDescription }

  func requireEditable() {
    useMark.requireEditable("The index element \(propertyName ?? "without a property")")
  }

  /// Passes a value on, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
