import Foundation
import ManagedObjectModel
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Compiled models` {
  @Test func `A complete model survives writing and reading in both forms`() throws {
    let model = EverythingModel.make()
    let read = try CompiledModel.read(CompiledModel.write(model))
    #expect(read == model)
    for name in model.entitiesByName.keys {
      #expect(read.entitiesByName[name] == model.entitiesByName[name], "\(name)")
    }
    #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(try ModelCache.decode(ModelCache.encode(model)) == model)
  }

  @Test func `Equal models give equal bytes`() throws {
    let bytes = try CompiledModel.write(EverythingModel.make())
    #expect(try CompiledModel.write(EverythingModel.make()) == bytes)
    #expect(try CompiledModel.write(CompiledModel.read(bytes)) == bytes)
    let shuffled = EverythingModel.make()
    let entities = shuffled.entities
    shuffled.entities = entities.reversed()
    shuffled.setEntities([entities[0], entities[2]], forConfigurationName: "Some")
    #expect(try CompiledModel.write(shuffled) == bytes)
  }

  @Test(arguments: EverythingModel.predicates) func `A predicate is read back equal`(format: String)
    throws
  {
    let predicate = try NSPredicate(parsing: format)
    let attribute = attribute("a", .stringAttributeType) {
      $0.setValidationPredicates([predicate], withValidationWarnings: ["w"])
    }
    let read = try CompiledModel.read(CompiledModel.write(model(entity("E", [attribute]))))
    let result = try #require(
      read.entitiesByName["E"]?.attributesByName["a"]?.validationPredicates.first)
    #expect(result == predicate)
  }

  @Test(arguments: [
    "0", "0.0", "1e-20", "-1.5", "99999999999999999999999999999999999999", "1e120", "NaN",
  ])
  func `A decimal number is read back equal`(text: String) throws {
    let number = NSDecimalNumber(string: text)
    let attribute = attribute("a", .decimalAttributeType) { $0.defaultValue = number }
    let read = try CompiledModel.read(CompiledModel.write(model(entity("E", [attribute]))))
    let result = try #require(
      read.entitiesByName["E"]?.attributesByName["a"]?.defaultValue as? NSDecimalNumber)
    #expect(result.stringValue == number.stringValue)
  }

  @Test func `Changing a model that was read does not change the written one`() throws {
    let source = libraryModel()
    let read = try CompiledModel.read(CompiledModel.write(source))
    read.entitiesByName["Author"]?.name = "Writer"
    #expect(source.entitiesByName["Author"] != nil)
    #expect(read != source)
  }

  @Test func `A block predicate cannot be written`() {
    let attribute = attribute("a", .stringAttributeType) {
      $0.setValidationPredicates([NSPredicate { _, _ in true }], withValidationWarnings: ["w"])
    }
    let error = #expect(throws: ModelArchiveError.self) {
      try CompiledModel.write(model(entity("E", [attribute])))
    }
    #expect(error?.code == .notArchivable)
    #expect(error?.keyPath == "E.a")
  }

  @Test func `A default value without an archived form cannot be written`() {
    struct Own {}
    let attribute = attribute("a", .transformableAttributeType) { $0.defaultValue = Own() }
    let error = #expect(throws: ModelArchiveError.self) {
      try CompiledModel.write(model(entity("E", [attribute])))
    }
    #expect(error?.code == .notArchivable)
    #expect(error?.keyPath == "E.a.defaultValue")
  }

  @Test func `A relationship to an entity of another model cannot be written`() {
    let foreign = entity("Foreign")
    let source = entity("E")
    relate(source, "r", to: foreign, maxCount: 1)
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.write(model(source)) }
    #expect(error?.code == .notArchivable)
    #expect(error?.keyPath == "E.r")
  }

  @Test func `An index of an unknown property is left out`() throws {
    let known = attribute("a", .stringAttributeType)
    let unknown = attribute("b", .stringAttributeType)
    let source = entity("E", [known])
    source.indexes = [("byBoth", [known, unknown]), ("byA", [known])].map { name, properties in
      NSFetchIndexDescription(
        name: name,
        elements: properties.map {
          NSFetchIndexElementDescription(property: $0, collationType: .binary)
        })
    }
    let read = try CompiledModel.read(CompiledModel.write(model(source)))
    #expect(read.entitiesByName["E"]?.indexes.map(\.name) == ["byA"])
  }

  @Test func `Counts are clamped to their range when they are written`() throws {
    let source = entity("E")
    relate(source, "r", to: source, maxCount: .max) { $0.minCount = -7 }
    let read = try CompiledModel.read(CompiledModel.write(model(source)))
    let relationship = try #require(read.entitiesByName["E"]?.relationshipsByName["r"])
    #expect(relationship.maxCount == Int(Int32.max) && relationship.minCount == -1)
  }

  @Test func `A folder of versions is written and read`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Model.momd")
      let (first, second) = (libraryModel(), EverythingModel.make())
      try CompiledModel.writeBundle(versions: [("1", first), ("2", second)], current: "2", to: url)
      let bundle = try CompiledModel.versions(ofBundleAt: url)
      #expect(bundle.versionNames == ["1", "2"])
      #expect(bundle.info.currentVersionName == "2")
      #expect(
        bundle.info.versionHashes == [
          "1": first.entityVersionHashesByName, "2": second.entityVersionHashesByName,
        ])
      #expect(
        bundle.info.versionChecksums == ["1": first.versionChecksum, "2": second.versionChecksum])
      #expect(try CompiledModel.read(contentsOf: url) == second)
      #expect(try CompiledModel.read(version: "1", ofBundleAt: url) == first)
      #expect(try CompiledModel.read(contentsOf: url.appendingPathComponent("1.mom")) == first)
    }
  }

  @Test func `A version in the optimized form only is reported as such`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Model.momd")
      try CompiledModel.writeBundle(versions: [("1", libraryModel())], current: "1", to: url)
      try FileManager.default.moveItem(
        at: url.appendingPathComponent("1.mom"), to: url.appendingPathComponent("1.omo"))
      let error = #expect(throws: ModelArchiveError.self) {
        try CompiledModel.read(contentsOf: url)
      }
      #expect(error?.code == .optimizedOnly)
    }
  }

  @Test func `A missing file, version or folder is named`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Model.momd")
      for missing in [url, folder.appendingPathComponent("Model.mom")] {
        let error = #expect(throws: ModelArchiveError.self) {
          try CompiledModel.read(contentsOf: missing)
        }
        #expect(error?.code == .unreadable)
        #expect(error?.file?.contains("Model.mom") == true)
      }
      try CompiledModel.writeBundle(versions: [("1", libraryModel())], current: "1", to: url)
      for name in ["2", "../1", ""] {
        let error = #expect(throws: ModelArchiveError.self) {
          try CompiledModel.read(version: name, ofBundleAt: url)
        }
        #expect(error?.code == .unreadable)
      }
    }
  }

  @Test func `Invalid version names are an error, and nothing is written`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Model.momd")
      for versions in [["1", "1"], ["2"], ["1", "a/b"], ["1", ".."], ["1", ""]] {
        #expect(throws: ModelArchiveError.self, "\(versions)") {
          try CompiledModel.writeBundle(
            versions: versions.map { ($0, libraryModel()) }, current: "1", to: url)
        }
      }
      #expect(!FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func `Version information is read from XML too`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>NSManagedObjectModel_CurrentVersionName</key><string>B</string>
      <key>NSManagedObjectModel_VersionHashes</key><dict><key>B</key><dict><key>E</key><data>AAEC</data></dict></dict>
      <key>NSManagedObjectModel_VersionChecksums</key><dict><key>B</key><string>sum=</string></dict>
      </dict></plist>
      """
    let info = try VersionInfo(Data(text.utf8))
    #expect(
      info
        == VersionInfo(
          currentVersionName: "B", versionHashes: ["B": ["E": Data([0, 1, 2])]],
          versionChecksums: ["B": "sum="]))
    #expect(try VersionInfo(info.encoded()) == info)
  }
}
