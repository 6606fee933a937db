import CModelRegistry
import Foundation
import ManagedObjectModel
import Testing

@Suite struct ModelRegistryTests {
  private final class Ship {}
  private final class Harbour {}
  private final class Crew {}

  @Test func `A registered model is found by its name`() throws {
    ModelRegistry.register(name: "Found by name", classes: [:]) { Data([1, 2, 3]) }
    let registration = try #require(ModelRegistry.registration(named: "Found by name"))
    #expect(registration.compiledModel() == Data([1, 2, 3]))
    #expect(registration.module == "ManagedObjectModelTests")
    #expect(ModelRegistry.registration(named: "Nowhere") == nil)
  }

  @Test func `The requesting module is preferred, then the first module in order`() {
    for module in ["Zebra", "Aardvark", "Mole"] {
      ModelRegistry.register(name: "Same name", fileID: "\(module)/Model.swift", classes: [:]) {
        Data()
      }
    }
    #expect(
      ModelRegistry.registration(named: "Same name", preferringModule: "Zebra")?.module == "Zebra")
    #expect(
      ModelRegistry.registration(named: "Same name", preferringModule: "Other")?.module
        == "Aardvark")
    #expect(ModelRegistry.registration(named: "Same name")?.module == "Aardvark")
  }

  @Test func `The first registration of a name and module wins`() {
    ModelRegistry.register(name: "Twice", classes: [:]) { Data([1]) }
    ModelRegistry.register(name: "Twice", classes: [:]) { Data([2]) }
    #expect(ModelRegistry.registration(named: "Twice")?.compiledModel() == Data([1]))
    #expect(ModelRegistry.registrations.filter { $0.name == "Twice" }.count == 1)
  }

  @Test func `Registrations are listed by name and module`() {
    ModelRegistry.register(name: "List B", fileID: "B/B.swift", classes: [:]) { Data() }
    ModelRegistry.register(name: "List A", fileID: "B/A.swift", classes: [:]) { Data() }
    ModelRegistry.register(name: "List B", fileID: "A/B.swift", classes: [:]) { Data() }
    let listed = ModelRegistry.registrations.filter { $0.name.hasPrefix("List ") }.map {
      "\($0.name) of \($0.module)"
    }
    #expect(listed == ["List A of B", "List B of A", "List B of B"])
  }

  @Test func `An entity finds its class and a class its entity`() {
    ModelRegistry.register(name: "Sea", classes: ["Ship": Ship.self, "Harbour": Harbour.self]) {
      Data()
    }
    #expect(ModelRegistry.managedObjectClass(forEntityName: "Ship") == Ship.self)
    #expect(
      ModelRegistry.managedObjectClass(forEntityName: "Ship", inModelNamed: "Sea") == Ship.self)
    #expect(ModelRegistry.managedObjectClass(forEntityName: "Ship", inModelNamed: "Land") == nil)
    #expect(ModelRegistry.managedObjectClass(forEntityName: "Submarine") == nil)
    #expect(ModelRegistry.entity(of: Harbour.self)?.name == "Harbour")
    #expect(ModelRegistry.entity(of: Harbour.self)?.model.name == "Sea")
    #expect(ModelRegistry.entity(of: ModelRegistryTests.Crew.self) == nil)
  }

  @Test func `A function pushed to the list runs before the next look-up`() {
    parhelion_model_registry_push {
      ModelRegistry.register(name: "Pushed", fileID: "Pushed/Model.swift", classes: [:]) {
        Data([7])
      }
    }
    #expect(ModelRegistry.registration(named: "Pushed")?.compiledModel() == Data([7]))
  }
}
