import Foundation
import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite(.requiresFixtures)
struct `Apple's models` {
  @Test func `Every fixture model is read without an error`() throws {
    let folder = try Fixtures.url("models")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") }
    #expect(names.count >= 20)
    for name in names.sorted() {
      let bundle = try ModelBundle(contentsOf: folder.appendingPathComponent(name))
      for version in bundle.versions {
        #expect(!version.model.entities.isEmpty, "\(name) \(version.name)")
      }
      let unexpected = bundle.warnings.filter {
        $0.code == .unknownAttribute || $0.code == .unknownElement
      }
      #expect(unexpected.isEmpty)
    }
  }

  /// Each store with the model version that wrote it, according to the fixtures' ORIGIN.md.
  static let stores = [
    ("BookMigration__Model1.sqlite", "BookMigration__Model", "Model1"),
    (
      "BrowserServicesKit__Bookmarks_V1.sqlite", "BrowserServicesKit__BookmarksModel",
      "BookmarksModel"
    ),
    (
      "BrowserServicesKit__Bookmarks_V5.sqlite", "BrowserServicesKit__BookmarksModel",
      "BookmarksModel 5"
    ),
    ("CareKit__SampleStore2.0.sqlite", "CareKit__CareKitStore", "CareKitStore2.0"),
    ("CoreDataPlus__SampleModel_V1.sqlite", "CoreDataPlus__SampleModel", "SampleModel"),
    (
      "XCServerCoreData__XCServerCoreData_1.2.0.sqlite", "XCServerCoreData__XCServerCoreData",
      "XCServerCoreData1.2.0"
    ),
    (
      "cdt-materials__SurfJournalModel.sqlite", "cdt-materials__SurfJournalModel",
      "SurfJournalModel"
    ),
    ("objcio-core-data__Moody.moody", "objcio-core-data__Moody", "Moody"),
    ("objcio-core-data__Moody_4.moody", "objcio-core-data__Moody", "Moody 4"),
  ]

  @Test(arguments: stores)
  func `A model has the hashes that Apple's frameworks wrote into its store`(
    store: String, bundle: String, version: String
  ) throws {
    let golden = try #require(try GoldenHashes.read().stores[store])
    let model = try model(bundle, version)
    #expect(model.hexHashes == golden.entityHashes)
    if let digest = golden.NSStoreModelVersionHashesDigest {
      #expect(model.versionHashesDigest == digest)
    }
  }

  @Test(arguments: ["SwiftGen__Model", "XCServerCoreData__XCServerCoreData"])
  func `A model has the hashes that Apple's compiler wrote`(bundle: String) throws {
    let info = try Fixtures.url("compiled/\(bundle).momd/VersionInfo.plist")
    let plist =
      try PropertyListSerialization.propertyList(from: Data(contentsOf: info), format: nil)
      as? [String: Any]
    let versions = try #require(
      plist?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
    for (version, expected) in versions {
      let model = try model(bundle, version)
      for (entity, hash) in expected {
        #expect(model.entityVersionHashesByName[entity] == hash, "\(version) \(entity)")
      }
      #expect(Set(expected.keys) == Set(model.entitiesByName.keys))
    }
  }

  private func model(_ bundle: String, _ version: String) throws -> NSManagedObjectModel {
    let bundle = try ModelBundle(contentsOf: Fixtures.url("models/\(bundle).xcdatamodeld"))
    return try #require(bundle.version(named: version)).model
  }
}

/// The hashes that Apple's tools wrote, from `version-hashes.json`.
private struct GoldenHashes: Decodable {
  struct Store: Decodable {
    let entityHashes: [String: String]
    let NSStoreModelVersionHashesDigest: String?
  }

  let stores: [String: Store]

  static func read() throws -> GoldenHashes {
    try JSONDecoder().decode(
      GoldenHashes.self, from: Data(contentsOf: Fixtures.url("version-hashes.json")))
  }
}

extension NSManagedObjectModel {
  fileprivate var hexHashes: [String: String] {
    entityVersionHashesByName.mapValues { hash in hash.map { String(format: "%02x", $0) }.joined() }
  }
}
