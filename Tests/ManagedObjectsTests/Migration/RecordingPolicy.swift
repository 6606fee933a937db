import Foundation
import ManagedObjectModel
import ManagedObjects

/// The calls of policies, in order.
final class PolicyLog {
  var calls: [String] = []
}

/// A policy that records its calls in the manager's user info.
class RecordingPolicy: NSEntityMigrationPolicy {
  private func record(_ call: String, _ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
    (manager.userInfo?["log"] as? PolicyLog)?.calls.append("\(mapping.name ?? "") \(call)")
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    record("begin", mapping, manager)
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    record("create", mapping, manager)
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }

  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { record("endInstanceCreation", mapping, manager) }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    record("relate", mapping, manager)
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }

  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { record("endRelationshipCreation", mapping, manager) }

  override func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { record("performCustomValidation", mapping, manager) }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    record("end", mapping, manager)
  }

  override func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
    guard name == "shout:" else {
      return try super.perform(selectorNamed: name, with: arguments)
    }
    return (arguments[0] as? String)?.uppercased()
  }
}

/// A policy that saves the migrated objects and records what the destination store contains.
///
/// A store in memory can be read only during the migration.
final class ReadingPolicy: NSEntityMigrationPolicy {
  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try manager.destinationContext.save()
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = manager.destinationContext.persistentStoreCoordinator
    let text = try StoreText(context) { $0.value(forKey: "name") as? String ?? "" }
    (manager.userInfo?["log"] as? PolicyLog)?.calls.append("\(text)")
  }
}

/// A policy that splits each source object into two.
final class SplittingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    for part in ["a", "b"] {
      let object = NSEntityDescription.insertNewObject(
        forEntityName: mapping.destinationEntityName ?? "", into: manager.destinationContext)
      object.setValue("\(sInstance.value(forKey: "name") ?? "")\(part)", forKey: "name")
      manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }
  }
}

/// A class that is not a policy.
final class NoPolicy: NSObject {}

/// A policy with a state and an initializer of its own.
final class CountingPolicy: NSEntityMigrationPolicy {
  private var count: Int

  override init() {
    count = 0
    super.init()
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    count += 1
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    for object in manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    {
      object.setValue("\(count) \(object.value(forKey: "name") ?? "")", forKey: "name")
    }
  }
}

/// A manager that a class of stores names.
final class OwnManager: NSMigrationManager, @unchecked Sendable {}

/// A class of stores with managers of its own.
final class OwnManagedStore: NSAtomicStore {
  override class func migrationManagerClass() -> AnyClass { OwnManager.self }
}
