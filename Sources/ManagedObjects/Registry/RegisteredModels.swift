import Foundation
import ManagedObjectModel
import ObjectRows
import Synchronization

/// The models that are linked into the process.
///
/// They are decoded when first needed and then shared.
final class RegisteredModels: Sendable {
  static let shared = RegisteredModels()

  private struct Key: Hashable {
    var name: String
    var module: String
  }

  private let models = Mutex<[Key: NSManagedObjectModel]>([:])
  private let used = Mutex<[UsedModel]>([])

  private struct UsedModel {
    weak var model: NSManagedObjectModel?
  }

  /// The entity that a class represents.
  ///
  /// It comes from a linked model, or from a coordinator's model, such as one that is created in
  /// code.
  ///
  /// If no model has one, the program stops with a message.
  func entity(of managedObjectClass: NSManagedObject.Type) -> NSEntityDescription {
    if ModelRegistry.entity(of: managedObjectClass) == nil,
      let entity = usedEntity(of: managedObjectClass)
    {
      return entity
    }
    let found = registered(managedObjectClass)
    guard let entity = model(found.model).entitiesByName[found.name] else {
      preconditionFailure(
        "The linked model \(found.model.name) has no entity \(found.name). Rebuild the package.")
    }
    return entity
  }

  /// Remembers the model of a coordinator for the model's lifetime.
  func recordUse(of model: NSManagedObjectModel) {
    used.withLock { used in
      used.removeAll { $0.model == nil }
      if !used.contains(where: { $0.model === model }) { used.append(UsedModel(model: model)) }
    }
  }

  private func usedEntity(of managedObjectClass: NSManagedObject.Type) -> NSEntityDescription? {
    let models = used.withLock { $0.compactMap(\.model) }
    for model in models {
      let layouts = ModelLayouts.of(model).layouts
      if let layout = layouts.first(where: { $0.blueprint.managedObjectClass == managedObjectClass }
      ) {
        return layout.entity
      }
    }
    return nil
  }

  /// The name of the entity that a class represents.
  func entityName(of managedObjectClass: NSManagedObject.Type) -> String {
    registered(managedObjectClass).name
  }

  /// The properties of the entity for which a class was generated, in the order of their ordinals.
  func propertyOrder(of managedObjectClass: NSManagedObject.Type) -> [String]? {
    guard let found = ModelRegistry.entity(of: managedObjectClass) else { return nil }
    return model(found.model).entitiesByName[found.name]?.propertiesInRowOrder.map(\.name)
  }

  private func registered(_ managedObjectClass: NSManagedObject.Type) -> (
    name: String, model: ModelRegistration
  ) {
    guard let found = ModelRegistry.entity(of: managedObjectClass) else {
      preconditionFailure(
        "No model that is linked into the process or that a coordinator uses has an entity whose class is \(managedObjectClass). Give an entity of the model this class, and let the target that declares the class use ManagedObjectModelPlugin."
      )
    }
    return found
  }

  /// The class that represents an entity: that of its linked model, or the one that it names.
  ///
  /// Entities of copied, merged and loaded models are not those of the linked model. So their
  /// classes are found by the names of class and entity.
  func managedObjectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
    let linked: AnyClass? = entity.name.flatMap {
      registration(of: entity)?.classesByEntityName[$0]
    }
    if let linked = linked as? NSManagedObject.Type { return linked }
    guard let name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
      return NSManagedObject.self
    }
    if let found = managedObjectClass(named: name, of: entity) { return found }
    LogLine.warn(
      "The class \(name) of the entity \(entity.name ?? "without a name") was not found, so its objects are of the class NSManagedObject. Let the target that declares the class use ManagedObjectModelPlugin, or set managedObjectClassName to NSStringFromClass(\(name.split(separator: ".").last ?? "").self)."
    )
    return NSManagedObject.self
  }

  private func managedObjectClass(named name: String, of entity: NSEntityDescription)
    -> NSManagedObject.Type?
  {
    for found in ModelRegistry.classes(named: name) {
      if let managedObjectClass = found as? NSManagedObject.Type { return managedObjectClass }
    }
    let candidates = ModelRegistry.registeredClasses(named: name, ofEntity: entity.name)
    let classes = Set(candidates.map { ObjectIdentifier($0.managedObjectClass) })
    let chosen = classes.count > 1 ? candidates.first { isSame(entity, as: $0) } : nil
    if let found = (chosen ?? candidates.first)?.managedObjectClass as? NSManagedObject.Type {
      return found
    }
    // Last, because if two modules have a class with the name, the model does not say which one it
    // means.
    return ModelRegistry.classesInModules(named: name).lazy.compactMap {
      $0 as? NSManagedObject.Type
    }.first
  }

  /// Whether an entity has the version hash of the one for which a class was registered.
  private func isSame(_ entity: NSEntityDescription, as registered: ModelRegistry.RegisteredClass)
    -> Bool
  {
    let model = try? CompiledModel.read(registered.model.compiledModel())
    return model?.entitiesByName[registered.entityName]?.versionHash == entity.versionHash
  }

  private func registration(of entity: NSEntityDescription) -> ModelRegistration? {
    models.withLock { models in
      let key = models.first { $0.value.entities.contains { $0 === entity } }?.key
      return ModelRegistry.registrations.first { $0.name == key?.name && $0.module == key?.module }
    }
  }

  /// The decoded model of a registration: the same one at every call.
  func model(_ registration: ModelRegistration) -> NSManagedObjectModel {
    models.withLock { models in
      let key = Key(name: registration.name, module: registration.module)
      if let known = models[key] { return known }
      let model = Self.decode(registration)
      models[key] = model
      return model
    }
  }

  private static func decode(_ registration: ModelRegistration) -> NSManagedObjectModel {
    do {
      let model = try CompiledModel.read(registration.compiledModel())
      model.freeze()
      return model
    } catch {
      preconditionFailure(
        "The linked model \(registration.name) cannot be read; rebuild the package. \(error)")
    }
  }
}
