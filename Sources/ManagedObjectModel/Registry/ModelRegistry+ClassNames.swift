import Foundation

extension ModelRegistry {
  /// A registered class, with the entity and the model that it is registered for.
  package struct RegisteredClass {
    package let managedObjectClass: AnyClass
    package let entityName: String
    package let model: ModelRegistration
  }

  /// Makes the Objective-C names of a module's classes known to the process.
  ///
  /// Parhelion's addition, called by generated code.
  ///
  /// `@objc(Pet) class PetObject` is `Pet` in models and in names of value transformers, but
  /// nothing in the process knows this name where there is no Objective-C.
  ///
  /// - Warning: It is called from within look-ups, and so must not look anything up itself.
  public static func registerObjectiveCNames(
    _ classes: [String: AnyClass], fileID: String = #fileID
  ) {
    let module = String(fileID.prefix { $0 != "/" })
    withContents { $0.addObjectiveCNames(classes, ofModule: module) }
  }

  /// The classes of a name: the one that the runtime knows, then those with this Objective-C name.
  ///
  /// Foundation has classes of everyday names. So the caller takes the first class of the kind that
  /// it needs.
  package static func classes(named name: String) -> [AnyClass] {
    [NSClassFromString(name)].compactMap(\.self) + objectiveCClasses(named: name)
  }

  /// The classes of a name without a module, in the modules that registered something.
  package static func classesInModules(named name: String) -> [AnyClass] {
    name.contains(".") ? [] : registeredModules.compactMap { NSClassFromString("\($0).\(name)") }
  }

  /// The registered classes that a model may mean by a class name, the likeliest ones; none where
  /// no class fits.
  ///
  /// A name without a module fits every class of the name, those of the same entity first. A name
  /// with a module that has no such class fits the class of the same entity: the model was compiled
  /// for a module of another name.
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
