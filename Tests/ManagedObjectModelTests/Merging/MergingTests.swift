import Foundation
import ManagedObjectModel
import Testing

@Suite struct MergingTests {
  @Test
  func `A merged model has the entities, configurations, templates and identifiers of all models`()
    throws
  {
    let music = model(entity("Song", [attribute("title", .stringAttributeType)]))
    music.versionIdentifiers = ["music"]
    music.setEntities(music.entities, forConfigurationName: "People")
    let merged = try #require(NSManagedObjectModel(byMerging: [libraryModel(), music]))
    #expect(merged.entities.map(\.name) == ["Item", "Book", "Author", "Song"])
    #expect(merged.versionIdentifiers == ["1", "music"])
    #expect(merged.entities(forConfigurationName: "People")?.map(\.name) == ["Author", "Song"])
    #expect(
      merged.fetchRequestTemplate(forName: "everyone")?.entity === merged.entitiesByName["Author"])
    for entity in merged.entities { #expect(entity.model === merged, "\(entity.name ?? "")") }
  }

  @Test func `A configuration of two models contains a common entity once`() throws {
    let second = libraryModel()
    let review = entity("Review")
    second.entities.append(review)
    second.setEntities(
      [try #require(second.entitiesByName["Author"]), review], forConfigurationName: "People")
    let merged = try NSManagedObjectModel(merging: [libraryModel(), second])
    #expect(merged.entities(forConfigurationName: "People")?.map(\.name) == ["Author", "Review"])
    #expect(merged.configurations == ["People"])
  }

  @Test func `The first model's localization of a key wins`() throws {
    let (first, second) = (model(entity("A")), model(entity("B")))
    first.localizationDictionary = ["Entity/A": "first", "Entity/B": "first"]
    second.localizationDictionary = ["Entity/B": "second", "Entity/C": "second"]
    #expect(
      try NSManagedObjectModel(merging: [first, second]).localizationDictionary
        == ["Entity/A": "first", "Entity/B": "first", "Entity/C": "second"])
  }

  @Test func `The merged model shares nothing with its sources`() throws {
    let library = libraryModel()
    library.freeze()
    let merged = try #require(NSManagedObjectModel(byMerging: [library]))
    #expect(merged == library)
    merged.entitiesByName["Author"]?.name = "Writer"
    #expect(library.entitiesByName["Author"] != nil)
  }

  @Test func `An entity that several models share becomes one, with all references`() throws {
    let second = libraryModel()
    let author = try #require(second.entitiesByName["Author"])
    let review = entity("Review")
    relate(review, "by", to: author, maxCount: 1)
    second.entities.append(review)
    let merged = try NSManagedObjectModel(merging: [libraryModel(), second])
    #expect(merged.entities.map(\.name) == ["Item", "Book", "Author", "Review"])
    #expect(
      merged.entitiesByName["Review"]?.relationshipsByName["by"]?.destinationEntity
        === merged.entitiesByName["Author"])
  }

  @Test func `Two different entities of one name are an error`() throws {
    let other = model(entity("Author"))
    let error = try #require(throws: ManagedObjectModelError.self) {
      try NSManagedObjectModel(merging: [libraryModel(), other])
    }
    #expect(error.code == .entitiesDiffer)
    #expect(error.context == ["entity": "Author"])
  }

  @Test func `Two different entities of one name stop the program in Apple's initializer`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSManagedObjectModel(byMerging: [libraryModel(), model(entity("Author"))])
    }
  }

  @Test func `Two different templates of one name are an error`() throws {
    let other = libraryModel()
    other.fetchRequestTemplate(forName: "everyone")?.fetchLimit = 5
    let error = try #require(throws: ManagedObjectModelError.self) {
      try NSManagedObjectModel(merging: [libraryModel(), other])
    }
    #expect(error.code == .templatesDiffer)
  }

  @Test func `Merging no models gives no model`() {
    #expect(NSManagedObjectModel(byMerging: nil) == nil)
    #expect(NSManagedObjectModel(byMerging: [])?.entities.isEmpty == true)
  }

  @Test func `The version that wrote a store is found among several`() throws {
    let first = libraryModel()
    let second = libraryModel()
    second.entitiesByName["Book"]?.properties.append(attribute("isbn", .stringAttributeType))
    let metadata: [String: Any] = [NSStoreModelVersionHashesKey: first.entityVersionHashesByName]
    let found = try #require(
      NSManagedObjectModel(byMerging: [second, first], forStoreMetadata: metadata))
    #expect(found == first)
  }

  @Test func `The entities of a store are gathered from several models`() throws {
    let music = model(entity("Song", [attribute("title", .stringAttributeType)]))
    let old = model(entity("Song"))
    let library = libraryModel()
    let hashes = library.entityVersionHashesByName.merging(music.entityVersionHashesByName) {
      first, _ in first
    }
    let found = try NSManagedObjectModel(
      merging: [old, library, music], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
    #expect(found.entityVersionHashesByName == hashes)
  }

  @Test func `The model of a store that has one configuration is found`() throws {
    let library = libraryModel()
    let author = try #require(library.entitiesByName["Author"])
    let metadata: [String: Any] = [NSStoreModelVersionHashesKey: ["Author": author.versionHash]]
    #expect(NSManagedObjectModel(byMerging: [library], forStoreMetadata: metadata) == library)
  }

  @Test func `The error about a store that no model wrote names the missing entities`() throws {
    let metadata: [String: Any] = [
      NSStoreModelVersionHashesKey: ["Author": Data(count: 32), "Zoo": Data(count: 32)]
    ]
    #expect(NSManagedObjectModel(byMerging: [libraryModel()], forStoreMetadata: metadata) == nil)
    let error = try #require(throws: ManagedObjectModelError.self) {
      try NSManagedObjectModel(merging: [libraryModel()], forStoreMetadata: metadata)
    }
    #expect(error.code == .noModelForStore)
    #expect(error.context["entities"] == "Author, Zoo")
  }

  @Test func `Metadata without version hashes is an error`() throws {
    let error = try #require(throws: ManagedObjectModelError.self) {
      try NSManagedObjectModel(merging: [libraryModel()], forStoreMetadata: [:])
    }
    #expect(error.code == .noVersionHashes)
  }
}
