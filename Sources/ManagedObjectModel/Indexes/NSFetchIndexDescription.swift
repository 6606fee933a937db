public import Foundation

/// A description of an index over properties of one entity.
// Sendable: immutable once in use, guarded by `useMark`; before that confined to its builder.
open class NSFetchIndexDescription: NSObject, @unchecked Sendable {
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

  func requireEditable() {
    useMark.requireEditable("The index \(name)")
  }
}
