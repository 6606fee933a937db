import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct FreezingTests {
  @Test func `A model is editable until it is frozen`() {
    let library = libraryModel()
    #expect(!library.isFrozen)
    library.freeze()
    library.freeze()
    #expect(library.isFrozen)
  }

  @Test func `Freezing does not change the properties of a model`() {
    let library = libraryModel()
    let names = library.entities.map { $0.properties.map(\.name) }
    library.freeze()
    #expect(library.entities.map { $0.properties.map(\.name) } == names)
    #expect(library.entitiesByName["Book"]?.attributesByName.keys.sorted() == ["pages", "title"])
    #expect(library.entitiesByName["Book"]?.relationshipsByName.keys.sorted() == ["author"])
  }

  @Test func `Threads that use a model for the first time concurrently see all of it`() async {
    let library = libraryModel()
    let hashes = libraryModel().entityVersionHashesByName
    await withTaskGroup(of: [String: Data].self) { group in
      for _ in 0..<8 {
        group.addTask {
          library.freeze()
          return library.entityVersionHashesByName
        }
      }
      for await seen in group { #expect(seen == hashes) }
    }
  }

  @Test func `Changing a model in use stops the program`() async {
    await #expect(processExitsWith: .failure) { frozenModel().entities = [] }
    await #expect(processExitsWith: .failure) { frozenModel().versionIdentifiers = [] }
    await #expect(processExitsWith: .failure) {
      frozenModel().setEntities([], forConfigurationName: "x")
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().setFetchRequestTemplate(nil, forName: "everyone")
    }
  }

  @Test func `Changing an entity in use stops the program`() async {
    await #expect(processExitsWith: .failure) { frozenModel().entitiesByName["Author"]!.name = "x" }
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Author"]!.properties = []
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Author"]!.indexes = []
    }
  }

  @Test func `Changing a property, an index or a template in use stops the program`() async {
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Author"]!.attributesByName["name"]!.defaultValue = "x"
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Book"]!.relationshipsByName["author"]!.destinationEntity = nil
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Author"]!.indexes[0].name = "x"
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().entitiesByName["Author"]!.indexes[0].elements[0].isAscending = false
    }
    await #expect(processExitsWith: .failure) {
      frozenModel().fetchRequestTemplate(forName: "everyone")!.fetchLimit = 1
    }
  }
}

private func frozenModel() -> NSManagedObjectModel {
  let library = libraryModel()
  library.freeze()
  return library
}
