import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// A coordinator with a store of any type for the shelf's model, and contexts.
final class ShelfStack {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let context: NSManagedObjectContext
  private let dependencies: StackDependencies

  init(
    _ type: String, at url: URL?, model: NSManagedObjectModel = ShelfModel().model,
    options: [AnyHashable: Any]? = nil,
    _ change: (inout StackDependencies) -> Void = { _ in }
  ) throws {
    var dependencies = StackDependencies.current
    dependencies.checksQueues = false
    change(&dependencies)
    self.dependencies = dependencies
    (coordinator, store, context) = try StackDependencies.$current.withValue(dependencies) {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url, options: options)
      return (
        coordinator, store, NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      )
    }
    context.persistentStoreCoordinator = coordinator
  }

  func newContext() -> NSManagedObjectContext {
    let context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

extension NSManagedObjectContext {
  @discardableResult
  func add(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(value, forKey: name)
    }
    return object
  }

  func all(_ entity: String, _ format: String? = nil, _ arguments: Any...) throws
    -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    return try fetch(request)
  }

  func one(_ entity: String, _ format: String? = nil, _ arguments: Any...) throws
    -> NSManagedObject?
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    return try fetch(request).first
  }
}

extension NSManagedObject {
  func text(_ key: String) -> String? { value(forKey: key) as? String }

  func number(_ key: String) -> Int? { (value(forKey: key) as? NSNumber)?.intValue }

  func related(_ key: String) -> [NSManagedObject] {
    switch value(forKey: key) {
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let object as NSManagedObject: [object]
    default: []
    }
  }
}
