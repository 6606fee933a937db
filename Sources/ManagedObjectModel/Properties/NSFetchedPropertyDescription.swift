import Foundation

/// A description of a property whose value is the result of a fetch.
// Sendable: like its superclass.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch.
  ///
  /// Its predicate may use `$FETCH_SOURCE`, the object, and `$FETCHED_PROPERTY`, this description.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get { storedFetchRequest }
    set {
      storedFetchRequest = editable(newValue)
      newValue?.holdEntityWeakly()
    }
  }

  private var storedFetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSFetchedPropertyDescription else { return }
    copy.fetchRequest = fetchRequest?.duplicate()
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSFetchedPropertyDescription, super.isEqualDescription(to: other)
    else {
      return false
    }
    switch (fetchRequest?.specification, other.fetchRequest?.specification) {
    case (nil, nil): return true
    case (let left?, let right?): return left.isEquivalent(to: right)
    default: return false
    }
  }

  override func freeze() {
    guard !useMark.isSet else { return }
    fetchRequest?.useMark.set()
    super.freeze()
  }
}
