public import Foundation

/// A description of an index over properties of one entity.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  let useMark = UseMark()
  weak var owner: NSEntityDescription?

  /// The name of the index.
  open var name: String { willSet { requireEditable() } }

  /// The elements, the most significant first.
  open var elements: [NSFetchIndexElementDescription] {
    willSet { requireEditable() }
    didSet { adoptElements(insteadOf: oldValue) }
  }

  /// The entity that the index belongs to.
  open var entity: NSEntityDescription? { owner }

  /// The condition that a row must meet to be in the index.
  open var partialIndexPredicate: NSPredicate? { willSet { requireEditable() } }

  /// Creates an index.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    self.elements = elements ?? []
    super.init()
    adoptElements(insteadOf: [])
  }

  private func adoptElements(insteadOf former: [NSFetchIndexElementDescription]) {
    for element in former { element.owner = nil }
    for element in elements { element.owner = self }
  }

  /// A copy that belongs to no entity and can be edited.
  ///
  /// Its elements name the same properties.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copies = elements.compactMap { $0.copy() as? NSFetchIndexElementDescription }
    let copy = NSFetchIndexDescription(name: name, elements: copies)
    copy.partialIndexPredicate = partialIndexPredicate
    return copy
  }

  /// Whether the other index says the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexDescription else { return false }
    return other === self
      || (name == other.name && elements == other.elements
        && valuesAreEqual(partialIndexPredicate, other.partialIndexPredicate))
  }

  /// Equal descriptions have equal hashes.
  open override var hash: Int { name.hash }

  /// Makes the index immutable.
  func markUsed() {
    for element in elements { element.useMark.set() }
    useMark.set()
  }

  func requireEditable() {
    useMark.requireEditable("The index \(name)")
  }
}
