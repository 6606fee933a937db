import Foundation
import ManagedObjectModel
import PredicateLanguage
import PropertyLists
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Models that Apple's tools compiled` {
  @Test func `Every compiled version has Apple's version hashes`() throws {
    let archives = try AppleArchive.compiled()
    #expect(archives.count == 8)
    for archive in archives {
      let model = try CompiledModel.read(archive.bytes)
      let known = archive.hashes.filter { !model.namesWithoutKnownHash.contains($0.key) }
      #expect(model.entities.count == archive.hashes.count, "\(archive.name)")
      #expect(model.hexHashes(of: archive.hashes.keys) == known, "\(archive.name)")
    }
  }

  @Test func `Every model cache has the version hashes of its store`() throws {
    let archives = try AppleArchive.caches()
    #expect(archives.count == 14)
    for archive in archives {
      let model = try CompiledModel.read(archive.bytes)
      let known = archive.hashes.filter { !model.namesWithoutKnownHash.contains($0.key) }
      #expect(model.hexHashes(of: archive.hashes.keys) == known, "\(archive.name)")
      #expect(archive.hashes.keys.allSatisfy { model.entitiesByName[$0] != nil }, "\(archive.name)")
    }
  }

  @Test func `Digests and checksums of version hashes equal those in Apple's stores`() throws {
    var (digests, checksums) = (0, 0)
    for (name, store) in try GoldenHashes.read().stores {
      if let digest = store.NSStoreModelVersionHashesDigest {
        #expect(NSManagedObjectModel.versionHashesDigest(of: store.hashes) == digest, "\(name)")
        digests += 1
      }
      if let checksum = store.NSStoreModelVersionChecksumKey {
        #expect(NSManagedObjectModel.versionChecksum(of: store.hashes) == checksum, "\(name)")
        checksums += 1
      }
    }
    #expect(digests >= 7 && checksums >= 2)
  }

  @Test func `A model survives reading and writing in both forms`() throws {
    for archive in try AppleArchive.compiled() + AppleArchive.caches() {
      let model = try CompiledModel.read(archive.bytes)
      let compiled = try CompiledModel.write(model)
      #expect(try CompiledModel.read(compiled) == model, "\(archive.name)")
      #expect(try CompiledModel.write(CompiledModel.read(compiled)) == compiled, "\(archive.name)")
      let cache = try ModelCache.encode(model)
      #expect(try ModelCache.decode(cache) == model, "\(archive.name)")
      #expect(try ModelCache.encode(CompiledModel.read(archive.bytes)) == cache, "\(archive.name)")
    }
  }

  @Test func `The written archive has the classes, keys and values of Apple's`() throws {
    for archive in try AppleArchive.compiled() + AppleArchive.caches() {
      let model = try CompiledModel.read(archive.bytes)
      let ours =
        if archive.isCache {
          try AppleArchive.inflated(ModelCache.encode(model))
        } else {
          try CompiledModel.write(model)
        }
      var comparison = try ArchiveComparison(apples: [UInt8](archive.bytes), ours: [UInt8](ours))
      #expect(comparison.run() == [], "\(archive.name)")
      #expect(comparison.comparedObjects > 5, "\(archive.name)")
    }
  }

  @Test func `A folder of versions is read with its hashes, and its current version`() throws {
    let url = try AppleArchive.compiledFolder(named: "XCServerCoreData.momd")
    let bundle = try CompiledModel.versions(ofBundleAt: url)
    #expect(bundle.versionNames.count == 6)
    #expect(bundle.info.currentVersionName == "XCServerCoreData2.0.2")
    #expect(bundle.info.versionChecksums.isEmpty)
    for name in bundle.versionNames {
      let model = try bundle.model(ofVersion: name)
      #expect(model.entityVersionHashesByName == bundle.info.versionHashes[name], "\(name)")
    }
    let current = try CompiledModel.read(contentsOf: url)
    #expect(try current == CompiledModel.read(version: "XCServerCoreData2.0.2", ofBundleAt: url))
  }

  @Test func `The model of SwiftGen is read with everything in it`() throws {
    let url = try AppleArchive.compiledFolder(named: "SwiftGen__Model.momd")
    let model = try CompiledModel.read(contentsOf: url)
    #expect(model.versionIdentifiers == [""])
    #expect(model.configurations == ["Custom"])
    #expect(model.entities(forConfigurationName: "Custom")?.map(\.name) == ["NewEntity"])
    let main = try #require(model.entitiesByName["MainEntity"])
    #expect(main.managedObjectClassName == "CustomMainEntity")
    #expect(main.userInfo as? [String: String] == ["key": "value"])
    #expect(main.attributesByName["decimal"]?.defaultValue as? NSDecimalNumber == 0)
    #expect(main.relationshipsByName["oneToMany"]?.isOrdered == true)
    #expect(
      main.relationshipsByName["oneToOne"]?.inverseRelationship?.entity.name == "SecondaryEntity")
    let child = try #require(model.entitiesByName["ChildEntity"])
    #expect(child.superentity === main)
    let derived =
      child.attributesByName["canonicalOptionalString"] as? NSDerivedAttributeDescription
    #expect(derived?.derivationExpression?.description == "canonical:(optionalString)")
    let template = try #require(model.fetchRequestTemplate(forName: "ObjectIDFetchRequest"))
    #expect(template.resultType == .managedObjectIDResultType)
    #expect(template.predicate?.description == "oneToOne.name == $NAME OR string == $NEEDLE")
    let newEntity = try #require(model.entitiesByName["NewEntity"])
    #expect(newEntity.superentity?.name == "AbstractEntity")
    #expect(newEntity.uniquenessConstraintNames == [["identifier"]])
    #expect(newEntity.indexes.map(\.name) == ["byIdentifierIndex"])
  }

  @Test func `Validation, sorting and unknown classes are read from a store's cache`() throws {
    let deflated = try #require(
      try AppleArchive.cache(ofStore: "CoreDataPlus__SampleModel2_V2.sqlite"))
    let model = try ModelCache.decode(deflated)
    let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
    #expect(
      title.validationPredicates.map(\.description) == [
        "length >= 3 AND length <= 50", "SELF CONTAINS \"title\"",
      ])
    #expect(
      title.validationWarnings.first as? String
        == "Title must have a length between 3 and 50 chars.")
    let author = try #require(model.entitiesByName["Author"])
    let feedbacks = author.propertiesByName["feedbacks"] as? NSFetchedPropertyDescription
    #expect(feedbacks?.fetchRequest?.sortDescriptors?.map(\.key) == ["rating"])
    #expect(feedbacks?.fetchRequest?.predicate?.description == "authorAlias == $FETCH_SOURCE.alias")
    let covers = model.entities.flatMap { $0.attributesByName.values }.compactMap {
      $0.defaultValue as? OpaqueArchivedObject
    }
    #expect(Set(covers.map(\.className)) == ["CoreDataPlus_Tests.Cover"])
  }

  @Test func `An XML archive of another tool is an error with a reason`() throws {
    let folder = try AppleArchive.compiledFolder(named: "EmployeeDirectory.momd")
    let archive = #expect(throws: ModelArchiveError.self) {
      try CompiledModel.read(contentsOf: folder.appendingPathComponent("EmployeeDirectory.mom"))
    }
    #expect(archive?.code == .notAnArchive)
    #expect(archive?.description.contains("XML") == true)
    #expect(archive?.file?.hasSuffix("EmployeeDirectory.mom") == true)
    let bundle = #expect(throws: ModelArchiveError.self) {
      try CompiledModel.read(contentsOf: folder)
    }
    #expect(bundle?.code == .unreadable)
    #expect(bundle?.description.contains("VersionInfo.plist") == true)
  }

  @Test func `The optimized form is an error with a reason`() throws {
    let folder = try AppleArchive.compiledFolder(named: "SwiftGen__Model.momd")
    let error = #expect(throws: ModelArchiveError.self) {
      try CompiledModel.read(contentsOf: folder.appendingPathComponent("Model 2.omo"))
    }
    #expect(error?.code == .notAnArchive)
    #expect(error?.description.contains(".omo") == true)
  }
}
