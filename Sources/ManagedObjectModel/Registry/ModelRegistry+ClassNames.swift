import Foundation

extension ModelRegistry {
  /// A registered class, with its entity and model.
  package struct RegisteredClass {
    package let managedObjectClass: AnyClass
    package let entityName: String
    package let model: ModelRegistration
  }

  /// Registers the Objective-C names of a module's classes.
  ///
  /// Parhelion's addition, called by generated code.
  ///
  /// `@objc(Pet) class PetObject` is `Pet` in models and in names of value transformers, but
  /// without Objective-C the runtime does not know this name.
  ///
  /// - Warning: Look-ups run the code that calls this method, so that code must not look anything
  ///   up.
  public static func registerObjectiveCNames(
    _ classes: [String: AnyClass], fileID: String = #fileID
  ) {
    let module = String(fileID.prefix { $0 != "/" })
    withContents { $0.addObjectiveCNames(classes, ofModule: module) }
  }

  /// The classes with a name: the class that the runtime knows, then those with this Objective-C
  /// name.
  ///
  /// Foundation has classes with common names, so the caller takes the first class of the required
  /// kind.
  package static func classes(named name: String) -> [AnyClass] {
    [NSClassFromString(name)].compactMap(\.self) + objectiveCClasses(named: name)
  }

  /// The classes with a name without a module, in the modules that registered something.
  package static func classesInModules(named name: String) -> [AnyClass] {
    name.contains(".") ? [] : registeredModules.compactMap { NSClassFromString("\($0).\(name)") }
  }

  /// The best matches for a class name in a model; empty if no registered class matches.
  ///
  /// A name without a module matches the classes of the same entity or, if there are none, every
  /// class with the name. A name with a module matches only the classes of the same entity. Their
  /// module may differ, because the model may have been compiled for a module with another name.
  package static func registeredClasses(named name: String, ofEntity entity: String?)
    -> [RegisteredClass]
  {
    let bareName = String(name.split(separator: ".").last ?? "")
    let fitting = allRegisteredClasses.filter { "\($0.managedObjectClass)" == bareName }
    let ofEntity = fitting.filter { $0.entityName == entity }
    if !ofEntity.isEmpty { return ofEntity }
    return name.contains(".") ? [] : fitting
  }

  /// Every registered class, ordered by model, module and entity.
  private static var allRegisteredClasses: [RegisteredClass] {
    registrations.flatMap { model in
      model.classesByEntityName.sorted { $0.key < $1.key }.map {
        RegisteredClass(managedObjectClass: $0.value, entityName: $0.key, model: model)
      }
    }
  }
}
