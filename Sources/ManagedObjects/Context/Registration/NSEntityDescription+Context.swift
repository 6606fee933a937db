import Foundation
public import ManagedObjectModel
import ObjectRows

extension NSEntityDescription {
  /// Returns the entity with the given name in the model of a context's coordinator, or nil if
  /// there is none.
  public class func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.layouts[named: entityName]?.entity
  }

  /// Creates an object of the entity with the given name, and inserts it.
  ///
  /// - Precondition: The model has such an entity, and the entity is not abstract.
  public class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let layout = context.layouts[named: entityName] else {
      preconditionFailure(
        "The model has no entity \(entityName). Its entities are \(context.layouts.layouts.compactMap(\.entity.name).sorted().joined(separator: ", "))."
      )
    }
    let object = NSManagedObject.instantiate(layout.entity)
    context.insert(object)
    return object
  }
}
