public import Foundation

/// A description of an index over properties of one entity.
// Sendable: immutable once in use, guarded by `useMark`; confined to its builder before that.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = EditGuard()
  weak var owner: NSEntityDescription?

  /// The name of the index.
  open var name: String {
    get { storedName }
    set { storedName = editable(newValue) }
  }

  private var storedName: String

  /// The elements, starting with the most significant.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      requireEditable()
      for element in storedElements { element.owner = nil }
      for element in newValue { element.owner = self }
      storedElements = newValue
    }
  }

  private var storedElements: [NSFetchIndexElementDescription] = []

  /// The entity that the index belongs to.
  open var entity: NSEntityDescription? { owner }

  /// The predicate that a row must match to be in the index.
  open var partialIndexPredicate: NSPredicate? {
    get { storedPartialIndexPredicate }
    set { storedPartialIndexPredicate = editable(newValue) }
  }

  private var storedPartialIndexPredicate: NSPredicate?

  /// Creates an index.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    storedName = name
    super.init()
    self.elements = elements ?? []
  }

  /// Returns a copy that belongs to no entity and can be edited.
  ///
  /// Its elements refer to the same properties.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copies = elements.compactMap { $0.copy() as? NSFetchIndexElementDescription }
    let copy = NSFetchIndexDescription(name: name, elements: copies)
    copy.partialIndexPredicate = partialIndexPredicate
    return copy
  }

  /// Whether the other index has an equal description.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexDescription else { return false }
    return other === self
      || (name == other.name && elements == other.elements
        && valuesAreEqual(partialIndexPredicate, other.partialIndexPredicate))
  }

  /// A hash value that equal descriptions share.
  open override var hash: Int { name.hash }

  /// Makes the index immutable.
  func markUsed() {
    for element in elements { element.useMark.set() }
    useMark.set()
  }

  func requireEditable() {
    useMark.requireEditable("The index \(name)")
  }

  /// Returns a new value, after checking that the description can still be changed.
  func editable<Value>(_ value: Value) -> Value {
    requireEditable()
    return value
  }
}
