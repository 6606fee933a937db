import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

private class Reader: NSManagedObject {}

/// Classes that models name without a module, as with `@objc(Pet)`.
///
/// The second one has another name in Swift.
final class Pet: NSManagedObject {}
final class ShelterObject: NSManagedObject {}

/// Two classes with one name, as in two modules.
///
/// Models name them without the module.
final class Bird: NSManagedObject {}
private enum Aviary {
  final class Bird: NSManagedObject {}
}

/// A class that no registered model contains.
final class Stray: NSManagedObject {}

/// Registers a model with these classes like generated code, under a unique name.
private enum RegisteredShelter {
  static let name = "LinkedModelTests.Shelter"

  static func model() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = [
      ("Animal", "Pet"), ("House", "Shelter"), ("Food", "NSManagedObject"), ("Canary", "Bird"),
    ]
    .map { name, className in
      let entity = NSEntityDescription()
      entity.name = name
      entity.managedObjectClassName = className
      return entity
    }
    return model
  }

  static let once: Void = {
    let compiled = Result { try CompiledModel.write(model()) }
    let classes: [String: AnyClass] = [
      "Animal": Pet.self, "House": ShelterObject.self, "Canary": Aviary.Bird.self,
    ]
    ModelRegistry.register(name: name, classes: classes) {
      (try? compiled.get()) ?? Data()
    }
    ModelRegistry.registerObjectiveCNames(["Shelter": ShelterObject.self])
  }()
}

private final class Critic: Reader {}

/// Registers a model like generated code, under a unique name.
private enum RegisteredLibrary {
  static let name = "LinkedModelTests"

  static let once: Void = {
    let model = LibraryModel().model
    let reader = NSEntityDescription()
    reader.name = "Reader"
    reader.managedObjectClassName = "Reader"
    model.entities.append(reader)
    let compiled = Result { try CompiledModel.write(model) }
    ModelRegistry.register(name: name, classes: ["Reader": Reader.self]) {
      (try? compiled.get()) ?? Data()
    }
  }()
}

@Suite struct LinkedModelTests {
  init() { RegisteredLibrary.once }

  @Test func `A linked model is found by its name and shared`() throws {
    let model = try #require(NSManagedObjectModel.linked(named: RegisteredLibrary.name))
    #expect(model.entitiesByName.keys.sorted() == ["Author", "Book", "Novel", "Reader"])
    #expect(NSManagedObjectModel.linked(named: RegisteredLibrary.name) === model)
    #expect(NSManagedObjectModel.linked(named: "No such model") == nil)
  }

  @Test func `A class finds its entity, and its requests name it`() {
    #expect(Reader.entity().name == "Reader")
    #expect(
      Reader.entity()
        === NSManagedObjectModel.linked(named: RegisteredLibrary.name)?.entitiesByName["Reader"])
    let request: NSFetchRequest<any NSFetchRequestResult> = Reader.fetchRequest()
    #expect(request.entity === Reader.entity())
  }

  @Test func `An entity is instantiated with its class`() throws {
    let model = try #require(NSManagedObjectModel.linked(named: RegisteredLibrary.name))
    #expect(type(of: NSManagedObject.instantiate(Reader.entity())) == Reader.self)
    let author = try #require(model.entitiesByName["Author"])
    #expect(type(of: NSManagedObject.instantiate(author)) == NSManagedObject.self)
    #expect(type(of: NSManagedObject.instantiate(LibraryModel().author)) == NSManagedObject.self)
  }

  private func classes(of model: NSManagedObjectModel) -> [String] {
    model.entities.map { entity in
      "\(entity.name ?? ""): \(type(of: NSManagedObject.instantiate(entity)))"
    }.sorted()
  }

  @Test func `Every instance of a linked model finds the classes`() throws {
    RegisteredShelter.once
    let expected = ["Animal: Pet", "Canary: Bird", "Food: NSManagedObject", "House: ShelterObject"]
    let linked = try #require(NSManagedObjectModel.linked(named: RegisteredShelter.name))
    let copy = try #require(linked.copy() as? NSManagedObjectModel)
    #expect(classes(of: linked) == expected)
    #expect(classes(of: copy) == expected)
    #expect(classes(of: try NSManagedObjectModel(merging: [linked])) == expected)
    #expect(classes(of: RegisteredShelter.model()) == expected)
    let altered = RegisteredShelter.model()
    altered.entitiesByName["Animal"]?.properties = [NSFetchedPropertyDescription()]
    #expect(classes(of: altered) == expected)
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Shelter.mom")
      try CompiledModel.write(linked).write(to: file)
      #expect(classes(of: try #require(NSManagedObjectModel(contentsOf: file))) == expected)
    }
  }

  @Test(arguments: [
    ("Animal", "ManagedObjectsTests.Pet", "Pet"), ("Cat", "Pet", "Pet"),
    ("Animal", "OtherModule.Pet", "Pet"),
    ("Cat", "OtherModule.Pet", "NSManagedObject"), ("Cat", "Operation", "NSManagedObject"),
    ("House", "Shelter", "ShelterObject"), ("Animal", "", "NSManagedObject"),
    ("Cat", "Stray", "Stray"),
  ])
  func
    `A class is found by its name with or without the module, or with an equivalent module`(
      _ entityName: String, _ className: String, _ found: String
    )
  {
    RegisteredShelter.once
    let entity = NSEntityDescription()
    entity.name = entityName
    entity.managedObjectClassName = className
    #expect("\(type(of: NSManagedObject.instantiate(entity)))" == found)
  }

  /// The name alone would mean this module's class, which is looked up as
  /// `ManagedObjectsTests.Bird`.
  @Test func `A class name without a module means the entity's own class first`() {
    RegisteredShelter.once
    for model in [
      RegisteredShelter.model(), NSManagedObjectModel.linked(named: RegisteredShelter.name),
    ] {
      let canary = model?.entitiesByName["Canary"]
      #expect(canary.map { type(of: NSManagedObject.instantiate($0)) } == Aviary.Bird.self)
    }
    let other = NSEntityDescription()
    other.name = "Canary"
    other.managedObjectClassName = "ManagedObjectsTests.Bird"
    #expect(type(of: NSManagedObject.instantiate(other)) == Bird.self)
  }

  @Test func `A class that is not found is named on standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let entity = NSEntityDescription()
      entity.name = "Ghost"
      entity.managedObjectClassName = "Castle.Ghost"
      _ = NSManagedObject.instantiate(entity)
    }
    let message = standardError(of: result)
    #expect(
      message.contains(
        "CoreData: warning: The class Castle.Ghost of the entity Ghost was not found"))
    #expect(message.contains("NSStringFromClass(Ghost.self)"))
  }

  @Test func `A class that no model knows stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Critic.entity()
    }
    let message = standardError(of: result)
    #expect(
      message.contains(
        "No model that is linked into the process or that a coordinator uses has an entity whose class is Critic."
      ))
  }
}
