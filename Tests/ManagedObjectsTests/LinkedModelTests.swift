import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

private class Reader: NSManagedObject {}
private final class Critic: Reader {}

/// Registers a model as generated code does, under a name that no other test uses.
private enum RegisteredLibrary {
  static let name = "LinkedModelTests"

  static let once: Void = {
    let model = LibraryModel().model
    let reader = NSEntityDescription()
    reader.name = "Reader"
    reader.managedObjectClassName = "Reader"
    model.entities.append(reader)
    let compiled = Result { try CompiledModel.write(model) }
    ModelRegistry.register(name: name, classes: ["Reader": Reader.self]) { (try? compiled.get()) ?? Data() }
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
    #expect(Reader.entity() === NSManagedObjectModel.linked(named: RegisteredLibrary.name)?.entitiesByName["Reader"])
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

  @Test func `A class that no model knows stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Critic.entity()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("No model that is linked into the process has an entity whose class is Critic."))
  }
}
