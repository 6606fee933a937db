public import Foundation
public import ManagedObjectModel
public import PredicateLanguage

/// The steps in which a migration manager migrates the objects of one entity mapping.
///
/// The manager creates one policy for each mapping and calls its methods in three passes:
///
/// | pass | calls |
/// |---|---|
/// | objects | `begin`, `createDestinationInstances` for each object, `endInstanceCreation` |
/// | relationships | `createRelationships` for each destination object, `endRelationshipCreation` |
/// | validation | `performCustomValidation`, `end` |
///
/// Each pass completes for all mappings before the next begins. A subclass overrides what it
/// changes; an error that it throws ends the migration and leaves the source store unchanged.
///
/// A mapping names the class as `NSStringFromClass(_:)` prints it, such as `App.BookPolicy`. A name
/// without a module is found if its module uses ManagedObjectModelPlugin, or registered the class
/// with `ModelRegistry.registerObjectiveCNames(_:fileID:)`.
open class NSEntityMigrationPolicy: NSObject, SelectorPerforming {
  /// Creates a policy.
  public override init() {
    super.init()
  }

  /// Creates a policy for a manager, through the initializer that subclasses override.
  ///
  /// Every subclass inherits this initializer, so a manager can call it for a class that is known
  /// only at run time.
  public required convenience init(_creation creation: _PolicyCreation) {
    self.init()
  }

  /// Called before the first object of the mapping is created.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates the destination objects of a source object.
  ///
  /// By default it creates one object of the destination entity, sets the attributes of the
  /// mapping, and associates both objects. A subclass that creates objects itself calls
  /// `associate(sourceInstance:withDestinationInstance:for:)`.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try InstanceCreation(mapping: mapping, manager: manager, policy: self).run(sInstance)
  }

  /// Called after the last object of the mapping was created.
  open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager)
    throws
  {}

  /// Sets the relationships of a destination object.
  ///
  /// By default it sets the relationships of the mapping.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try RelationshipCreation(mapping: mapping, manager: manager, policy: self).run(dInstance)
  }

  /// Called after the relationships of the mapping's last object were set.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Checks the destination objects beyond the rules of the model.
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called last, before the destination store is saved.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Calls a method for an expression such as `FUNCTION($entityPolicy, "fullName:", $source)`.
  ///
  /// Parhelion's addition.
  ///
  /// On Apple's platforms an expression calls any method by its selector. This platform has no
  /// Objective-C messages, so a policy overrides this method for the selectors that its mapping
  /// uses. The default throws an error that names the selector.
  ///
  /// ```swift
  /// override func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
  ///   switch name {
  ///   case "fullName:": fullName(of: arguments[0] as? NSManagedObject)
  ///   default: try super.perform(selectorNamed: name, with: arguments)
  ///   }
  /// }
  /// ```
  open func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
    throw PredicateEvaluationError(
      .badFunctionCall,
      """
      The entity migration policy \(type(of: self)) does not perform “\(name)”. Override \
      perform(selectorNamed:with:) in it.
      """
    )
  }
}

/// Marks the initializer with which a manager creates policies.
///
/// For migration managers. Applications do not use it.
public struct _PolicyCreation {
  init() {}
}
