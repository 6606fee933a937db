import Foundation
import ManagedObjectModel
import PredicateLanguage
import PropertyLists
import TestSupport
import Testing

@Suite struct `Compiled mapping models` {
  /// A mapping model with everything that a file can contain.
  private static func sample() -> NSMappingModel {
    let title = NSPropertyMapping()
    title.name = "title"
    title.valueExpression = NSExpression(
      format: #"FUNCTION($entityPolicy, "shout:", $source.name)"#)
    title.userInfo = ["unit": "m"]
    let kept = NSPropertyMapping()
    kept.name = "kept"
    let pages = NSPropertyMapping()
    pages.name = "pages"
    pages.valueExpression = MappingExpressions.destinations(
      ofKeyPath: "sheets", inMapping: "SheetToPage")
    let mapping = NSEntityMapping()
    mapping.name = "BookToBook"
    mapping.mappingType = .customEntityMappingType
    mapping.sourceEntityName = "Book"
    mapping.sourceEntityVersionHash = Data([1, 2])
    mapping.destinationEntityName = "Book"
    mapping.destinationEntityVersionHash = Data([3])
    mapping.sourceExpression = MappingExpressions.objects(ofEntity: "Book", matching: "pages > 3")
    mapping.entityMigrationPolicyClassName = "App.BookPolicy"
    mapping.attributeMappings = [title, kept]
    mapping.relationshipMappings = [pages]
    mapping.userInfo = ["factor": 3]
    let removal = NSEntityMapping()
    removal.name = "RemoveShelf"
    removal.mappingType = .removeEntityMappingType
    removal.sourceEntityName = "Shelf"
    return NSMappingModel(entityMappings: [mapping, removal])
  }

  @Test func `A mapping model that was written reads back equal`() throws {
    let data = try CompiledMapping.write(Self.sample())
    let model = try CompiledMapping.read(data)
    #expect(model.entityMappings.map(\.name) == ["BookToBook", "RemoveShelf"])
    let mapping = try #require(model.entityMappingsByName["BookToBook"])
    #expect(mapping.mappingType == .customEntityMappingType)
    #expect(mapping.sourceEntityVersionHash == Data([1, 2]))
    #expect(mapping.destinationEntityVersionHash == Data([3]))
    #expect(mapping.entityMigrationPolicyClassName == "App.BookPolicy")
    #expect(mapping.userInfo?["factor"] as? Int == 3)
    #expect(
      mapping.sourceExpression?.description
        == Self.sample().entityMappings[0].sourceExpression?.description)
    #expect(mapping.attributeMappings?.map(\.name) == ["title", "kept"])
    #expect(mapping.attributeMappings?[1].valueExpression == nil)
    #expect(mapping.attributeMappings?[0].userInfo?["unit"] as? String == "m")
    let expressions = [mapping, Self.sample().entityMappings[0]].map {
      [$0.attributeMappings?[0], $0.relationshipMappings?[0]].map {
        $0?.valueExpression?.description
      }
    }
    #expect(expressions[0] == expressions[1])
    #expect(model.entityMappings[1].destinationEntityName == nil)
    #expect(try CompiledMapping.write(model) == data)
  }

  @Test func `An archive has Apple's classes and keys`() throws {
    let list = try PropertyList([UInt8](CompiledMapping.write(Self.sample())))
    let all = list.dictionary?["$objects"]?.array?.compactMap { $0.dictionary }
    let objects = try #require(all)
    let classes = Set(objects.compactMap { $0["$classname"]?.string })
    #expect(
      classes.isSuperset(of: [
        "NSMappingModel", "NSEntityMapping", "NSPropertyMapping", "NSFetchRequestExpression",
        "NSFunctionExpression",
      ]))
    let fetch = try #require(objects.first { $0["NSFRExpression"] != nil })
    #expect(fetch["NSExpressionType"] == .integer(50))
    #expect(fetch["NSMOCExpression"] != nil)
    let entity = try #require(objects.first { $0["NSMappingName"] != nil })
    #expect(entity["NSMappingType"] == .integer(1))
    #expect(
      objects.contains { $0["NSEntityMappings"] != nil && $0["NSEntityMappingsByName"] != nil })
    #expect(objects.contains { $0["NSDestinationPropertyName"] != nil })
  }

  @Test func `A file that is not a mapping model is an error that names its path`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("a.cdm")
      try CompiledModel.write(libraryModel()).write(to: file)
      let error = #expect(throws: ModelArchiveError.self) {
        _ = try NSMappingModel(readingFrom: file)
      }
      #expect(error?.code == .notAModel)
      #expect(error?.description.contains(file.path) == true)
      #expect(NSMappingModel(contentsOf: file) == nil)
      #expect(NSMappingModel(contentsOf: nil) == nil)
      #expect(NSMappingModel(contentsOf: folder.appendingPathComponent("none.cdm")) == nil)
    }
  }

  @Test func `Mappings without names, or with the same name, cannot be written`() {
    let unnamed = NSMappingModel(entityMappings: [NSEntityMapping()])
    #expect(throws: ModelArchiveError.self) { _ = try CompiledMapping.write(unnamed) }
    let twice = NSMappingModel(
      entityMappings: Self.sample().entityMappings + [Self.sample().entityMappings[0]])
    #expect(throws: ModelArchiveError.self) { _ = try CompiledMapping.write(twice) }
  }

  @Test func `A damaged file never stops the program`() throws {
    var random = SeededGenerator(seed: 33)
    let bytes = [UInt8](try CompiledMapping.write(Self.sample()))
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 8..<damaged.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      _ = try? CompiledMapping.read(Data(damaged))
    }
  }

  @Test func `An expression survives archiving`() throws {
    let expression = MappingExpressions.destinations(ofKeyPath: "a.b", inMapping: "AToA")
    let read = try CompiledMapping.readExpression(CompiledMapping.writeExpression(expression))
    #expect(
      read.description
        == #"FUNCTION($manager, "\#(ManagerSelector.destinations)", "AToA", $source.a.b)"#
    )
  }
}
