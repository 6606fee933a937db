import Foundation
import ManagedObjectModel
import TestSupport
import Testing

@Suite struct LoadingTests {
  /// Two versions of the library, of which the second has an additional attribute.
  private static func versions() -> (old: NSManagedObjectModel, new: NSManagedObjectModel) {
    let new = Library()
    new.book.properties.append(attribute("isbn", .stringAttributeType, optional: true))
    return (libraryModel(), new.model)
  }

  /// Writes both versions as `Library.momd` to a new folder.
  private func withCompiledLibrary(_ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let (old, new) = Self.versions()
      try CompiledModel.writeBundle(
        versions: [("Library", old), ("Library 2", new)], current: "Library 2",
        to: folder.appendingPathComponent("Library.momd"))
      try body(folder)
    }
  }

  @Test func `A folder of versions gives its current version`() throws {
    try withCompiledLibrary { folder in
      let model = try #require(
        NSManagedObjectModel(contentsOf: folder.appendingPathComponent("Library.momd")))
      #expect(model.entityVersionHashesByName == Self.versions().new.entityVersionHashesByName)
      #expect(model.entities.allSatisfy { $0.managedObjectModel === model })
      #expect(!model.isFrozen)
    }
  }

  @Test func `A single file gives its model`() throws {
    try withCompiledLibrary { folder in
      let file = folder.appendingPathComponent("Library.momd/Library.mom")
      let model = try NSManagedObjectModel(readingFrom: file)
      #expect(model.versionChecksum == libraryModel().versionChecksum)
      #expect(model.fetchRequestTemplate(forName: "everyone")?.entityName == "Author")
    }
  }

  @Test func `A list with the main bundle includes the linked models`() throws {
    ModelRegistry.register(name: "LoadingTests.Linked", classes: [:]) { Data() }
    let bundle = Bundle(for: NSManagedObjectModel.self)
    #expect(AvailableModels(bundles: [bundle]).linkedNames.contains("LoadingTests.Linked"))
    #expect(AvailableModels(bundles: nil).linkedNames.contains("LoadingTests.Linked"))
    #expect(AvailableModels(bundles: []).linkedNames.isEmpty)
  }

  @Test func `A merged model that is nil reports why on standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      guard NSManagedObjectModel.mergedModel(from: []) == nil,
        NSManagedObjectModel.mergedModel(from: [.main]) == nil,
        NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/Lost.momd")) == nil,
        NSManagedObjectModel.mergedModel(
          from: [], forStoreMetadata: [NSStoreModelVersionHashesKey: ["A": Data()]])
          == nil
      else { preconditionFailure("There is no model.") }
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(
      separator: "\n"
    )
    .filter { $0.hasPrefix("CoreData: warning: ") }
    #expect(lines.count == 3)
    #expect(lines.first?.contains("mergedModel(from:) returns nil: modelNotFound: ") == true)
    #expect(lines.last?.contains("Lost.momd") == true)
  }

  @Test func `A search for the model of a store reports nothing on standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let metadata: [String: Any] = [NSStoreModelVersionHashesKey: ["Song": Data([1])]]
      try withTemporaryDirectory { folder in
        try CompiledModel.write(libraryModel()).write(
          to: folder.appendingPathComponent("Library.mom"))
        let bundle = try #require(Bundle(url: folder))
        for bundles in [nil, [], [.main], [bundle]] as [[Bundle]?] {
          try #require(
            NSManagedObjectModel.mergedModel(from: bundles, forStoreMetadata: metadata) == nil)
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("CoreData: warning: "), "\(text)")
  }

  @Test func `An unreadable model gives nil, and the throwing initializer says why`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Broken.mom")
      try Data("not a model".utf8).write(to: file)
      #expect(NSManagedObjectModel(contentsOf: file) == nil)
      #expect(
        NSManagedObjectModel(contentsOf: folder.appendingPathComponent("Missing.momd")) == nil)
      let error = try #require(throws: ModelArchiveError.self) {
        try NSManagedObjectModel(readingFrom: file)
      }
      #expect("\(error)".contains("Broken.mom"))
    }
  }

  @Test func `Every version has its checksum`() throws {
    try withCompiledLibrary { folder in
      let (old, new) = Self.versions()
      let checksums = try NSManagedObjectModel.checksumsForVersionedModel(
        at: folder.appendingPathComponent("Library.momd"))
      #expect(checksums == ["Library": old.versionChecksum, "Library 2": new.versionChecksum])
    }
  }

  @Test(.requiresFixtures)
  func `Checksums are computed if Apple's compiler wrote none`() throws {
    let folder = try Fixtures.url("compiled/XCServerCoreData__XCServerCoreData.momd")
    let bundle = try CompiledModel.versions(ofBundleAt: folder)
    #expect(bundle.info.versionChecksums.isEmpty)
    let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: folder)
    #expect(checksums.keys.sorted() == bundle.versionNames.sorted())
    for (version, checksum) in checksums {
      #expect(try bundle.model(ofVersion: version).versionChecksum == checksum, "\(version)")
    }
  }

  @Test func `The models of bundles are merged`() throws {
    try withCompiledLibrary { folder in
      let music = model(entity("Song", [attribute("title", .stringAttributeType)]))
      try CompiledModel.write(music).write(to: folder.appendingPathComponent("Music.mom"))
      let bundle = try #require(Bundle(url: folder))
      let merged = try NSManagedObjectModel.merging(from: [bundle])
      #expect(Set(merged.entitiesByName.keys) == ["Item", "Book", "Author", "Song"])
      #expect(merged.entitiesByName["Book"]?.attributesByName["isbn"] != nil)
    }
  }

  @Test func `The old version that wrote a store is found`() throws {
    try withCompiledLibrary { folder in
      let old = Self.versions().old
      let metadata: [String: Any] = [NSStoreModelVersionHashesKey: old.entityVersionHashesByName]
      let bundle = try #require(Bundle(url: folder))
      let found = try NSManagedObjectModel.merging(from: [bundle], forStoreMetadata: metadata)
      #expect(found.versionChecksum == old.versionChecksum)
    }
  }

  @Test func `A missing model is an error that names the searched places`() throws {
    try withTemporaryDirectory { folder in
      let bundle = try #require(Bundle(url: folder))
      #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
      let error = try #require(throws: ManagedObjectModelError.self) {
        try NSManagedObjectModel.merging(from: [bundle])
      }
      #expect(error.code == .modelNotFound)
      #expect(error.message.contains(folder.lastPathComponent))
    }
  }

  @Test func `A linked model is found by its name, and a missing one is an error`()
    throws
  {
    ModelRegistry.register(name: "Linked library", classes: [:]) {
      (try? CompiledModel.write(libraryModel())) ?? Data()
    }
    let found = try AvailableModels.model(named: "Linked library")
    #expect(found.versionChecksum == libraryModel().versionChecksum)
    let error = try #require(throws: ManagedObjectModelError.self) {
      try AvailableModels.model(named: "Nothing")
    }
    #expect(error.code == .modelNotFound)
  }

  // Runs in a separate process, so that other tests have not filled the registry.
  @Test func `Linked models are merged if no bundles are named`() async {
    await #expect(processExitsWith: .success) {
      ModelRegistry.register(name: "Library", classes: [:]) {
        (try? CompiledModel.write(libraryModel())) ?? Data()
      }
      let merged = try NSManagedObjectModel.merging(from: nil)
      try #require(merged.versionChecksum == libraryModel().versionChecksum)
    }
  }
}
