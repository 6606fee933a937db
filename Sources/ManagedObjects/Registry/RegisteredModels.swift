import Foundation
import ManagedObjectModel
import Synchronization

/// The models that are linked into the process, decoded when they are first needed and then shared.
final class RegisteredModels: Sendable {
  static let shared = RegisteredModels()

  private struct Key: Hashable {
    var name: String
    var module: String
  }

  private let models = Mutex<[Key: NSManagedObjectModel]>([:])

  /// The entity that a class represents.
  ///
  /// Stops the program, with a sentence, where no linked model has one.
  func entity(of managedObjectClass: NSManagedObject.Type) -> NSEntityDescription {
    let found = registered(managedObjectClass)
    guard let entity = model(found.model).entitiesByName[found.name] else {
      preconditionFailure("The linked model \(found.model.name) has no entity \(found.name). Build the package anew.")
    }
    return entity
  }

  /// The name of the entity that a class represents.
  func entityName(of managedObjectClass: NSManagedObject.Type) -> String {
    registered(managedObjectClass).name
  }

  /// The names of the properties of the entity that a class was generated for, in the order of their ordinals.
  func propertyOrder(of managedObjectClass: NSManagedObject.Type) -> [String]? {
    guard let found = ModelRegistry.entity(of: managedObjectClass) else { return nil }
    return model(found.model).entitiesByName[found.name]?.propertiesInRowOrder.map(\.name)
  }

  private func registered(_ managedObjectClass: NSManagedObject.Type) -> (name: String, model: ModelRegistration) {
    guard let found = ModelRegistry.entity(of: managedObjectClass) else {
      preconditionFailure(
        "No model that is linked into the process has an entity whose class is \(managedObjectClass). Give an entity of the model this class, and let the target that declares the class use ManagedObjectModelPlugin."
      )
    }
    return found
  }

  /// The class that represents an entity: that of its linked model, else the one that it names.
  func managedObjectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
    let linked: AnyClass? = entity.name.flatMap { registration(of: entity)?.classesByEntityName[$0] }
    let named: AnyClass? = entity.managedObjectClassName.flatMap(NSClassFromString)
    return (linked ?? named) as? NSManagedObject.Type ?? NSManagedObject.self
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
      preconditionFailure("The linked model \(registration.name) cannot be read; build the package anew. \(error)")
    }
  }
}
