import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

extension NSManagedObjectContext {
  /// The value of a fetched property: what its request finds, with the object for `$FETCH_SOURCE`.
  func objects(
    ofFetchedProperty property: NSFetchedPropertyDescription, of object: NSManagedObject
  ) -> [NSManagedObject] {
    guard let request = property.fetchRequest else { return [] }
    var specification = request.specification
    specification.resultType = .managedObjectResultType
    do {
      specification.predicate = try specification.predicate?
        .substituting(["FETCH_SOURCE": object, "FETCHED_PROPERTY": property])
      return try fetchObjects(FetchPlan(specification, limitedTo: request.limitedToStores, in: self))
    } catch {
      preconditionFailure("\(object.place(property)) cannot be fetched. \(error)")
    }
  }
}
