import Foundation

/// A description of a property whose value is the result of a fetch.
// Sendable: as its superclass.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  /// The fetch.
  ///
  /// Its predicate may use `$FETCH_SOURCE`, the object, and `$FETCHED_PROPERTY`, this description.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    willSet { requireEditable() }
    didSet { fetchRequest?.holdEntityWeakly() }
  }
}
