package import Foundation

/// Everything that a fetch request says, apart from the type of its results.
///
/// `NSFetchRequest` is generic, and without the Objective-C runtime two of its types have nothing in common; code that
/// takes any fetch request works with this value.
package struct FetchSpecification {
  package var entity = EntityReference.none
  package var predicate: NSPredicate?
  package var sortDescriptors: [NSSortDescriptor]?
  package var fetchLimit = 0
  package var fetchOffset = 0
  package var fetchBatchSize = 0
  package var resultType = NSFetchRequestResultType.managedObjectResultType
  package var includesSubentities = true
  package var includesPropertyValues = true
  package var includesPendingChanges = true
  package var returnsObjectsAsFaults = true
  package var returnsDistinctResults = false
  package var shouldRefreshRefetchedObjects = false
  package var relationshipKeyPathsForPrefetching: [String]?
  package var propertiesToFetch: [Any]?
  package var propertiesToGroupBy: [Any]?
  package var havingPredicate: NSPredicate?

  package init() {}
}
