private import CModelRegistry
public import Foundation
import Synchronization

/// The models that are linked into the process.
///
/// The build plug-in generates, for each model of a module, a load-time record that puts one
/// function on a C list. Every look-up drains the list, so it also finds modules that are loaded
/// later. Two modules may have models of the same name. A look-up takes that of a preferred module,
/// or else the first in the order of module names. So the result never depends on the order of
/// loading.
public enum ModelRegistry {
  /// Registers a model.
  ///
  /// Parhelion's addition, called by generated code.
  ///
  /// A second registration of the same name from the same module is ignored.
  ///
  /// - Warning: Look-ups run the code that calls this method, so that code must not look anything
  ///   up.
  ///
  /// - Parameters:
  ///   - name: The name of the model, without an extension.
  ///   - fileID: The calling file, whose module is the model's.
  ///   - classes: The custom classes of entities, by the entity's name.
  ///   - compiledModel: Returns the bytes of the compiled model. It is called at most once per
  ///     look-up.
  public static func register(
    name: String, fileID: String = #fileID, classes: [String: AnyClass],
    compiledModel: @escaping @Sendable () -> Data
  ) {
    let module = fileID.prefix { $0 != "/" }
    let registration = ModelRegistration(
      name: name, module: String(module), compiledModel: compiledModel, classesByEntityName: classes
    )
    withContents { $0.add(registration) }
  }

  /// Every registered model, ordered by name and module.
  package static var registrations: [ModelRegistration] {
    drain()
    return contents.withLock { $0.registrations }
  }

  /// The model with a name: the preferred module's, else that of the first module that has one.
  package static func registration(named name: String, preferringModule module: String? = nil)
    -> ModelRegistration?
  {
    let candidates = registrations.filter { $0.name == name }
    return candidates.first { $0.module == module } ?? candidates.first
  }

  /// The registered class of an entity in the named model.
  ///
  /// If no model is named, it is the class in a model of the preferred module, or else in the first
  /// model that has one.
  package static func managedObjectClass(
    forEntityName entity: String, inModelNamed model: String? = nil,
    preferringModule module: String? = nil
  ) -> AnyClass? {
    if let model {
      return registration(named: model, preferringModule: module)?.classesByEntityName[entity]
    }
    let candidates = registrations.filter { $0.classesByEntityName[entity] != nil }
    return (candidates.first { $0.module == module } ?? candidates.first)?.classesByEntityName[
      entity]
  }

  /// The entity and the model of a class.
  package static func entity(of managedObjectClass: AnyClass) -> (
    name: String, model: ModelRegistration
  )? {
    drain()
    return contents.withLock { $0.entity(of: managedObjectClass) }
  }

  /// The classes with an Objective-C name, ordered by the names of their modules.
  static func objectiveCClasses(named name: String) -> [AnyClass] {
    drain()
    return withContents { contents in
      contents.objectiveCClasses.keys.sorted().compactMap { contents.objectiveCClasses[$0]?[name] }
    }
  }

  /// The modules that registered a model or Objective-C names, sorted.
  static var registeredModules: [String] {
    drain()
    return withContents {
      Set($0.registrations.map(\.module)).union($0.objectiveCClasses.keys).sorted()
    }
  }

  /// Reads or changes the contents without running registrations.
  static func withContents<Result>(_ body: (inout Contents) -> Result) -> Result {
    contents.withLock { body(&$0) }
  }

  /// Runs the registrations that were added since the last look-up.
  ///
  /// The lock is held until the last one has run, so that a concurrent look-up does not see only
  /// some of them.
  private static func drain() {
    draining.withLock { _ in
      while let register = parhelion_model_registry_pop() { register() }
    }
  }

  private static let draining = Mutex(())
  private static let contents = Mutex(Contents())
}
