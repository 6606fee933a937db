import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct `Inferred mapping models` {
  private func mapping(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try NSMappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: destination)
  }

  private func text(_ mappings: [NSPropertyMapping]?) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (mappings ?? []).map {
        ($0.name ?? "", $0.valueExpression.map { "\($0)" } ?? "none")
      })
  }

  @Test func `Entities are added, removed, copied and transformed by name`() throws {
    let before = model(
      entity("Same", [attribute("x", .stringAttributeType, optional: true)]), entity("Gone"),
      entity("Changed"))
    let after = model(
      entity("Same", [attribute("x", .stringAttributeType, optional: true)]), entity("New"),
      entity("Changed", [attribute("x", .stringAttributeType, optional: true)]))
    let mappings = try mapping(from: before, to: after).entityMappingsByName
    #expect(
      mappings.keys.sorted() == [
        "IEM_Add_New", "IEM_Copy_Same", "IEM_Remove_Gone", "IEM_Transform_Changed",
      ])
    let copy = try #require(mappings["IEM_Copy_Same"])
    #expect(copy.mappingType == .copyEntityMappingType)
    #expect(copy.sourceEntityVersionHash == before.entitiesByName["Same"]?.versionHash)
    #expect(copy.destinationEntityVersionHash == after.entitiesByName["Same"]?.versionHash)
    #expect(mappings["IEM_Add_New"]?.sourceEntityName == nil)
    #expect(mappings["IEM_Add_New"]?.mappingType == .addEntityMappingType)
    #expect(mappings["IEM_Remove_Gone"]?.destinationEntityName == nil)
    #expect(mappings["IEM_Remove_Gone"]?.sourceExpression == nil)
    #expect(mappings["IEM_Transform_Changed"]?.mappingType == .transformEntityMappingType)
  }

  @Test func `The source expression fetches one entity`() throws {
    let versions = (model(entity("A")), model(entity("A")))
    let found = try mapping(from: versions.0, to: versions.1).entityMappings.first
    let request = #"FUNCTION($manager, "\#(ManagerSelector.sourceRequest)", "A", "TRUEPREDICATE")"#
    let context = #"FUNCTION($manager, "valueForKey:", "sourceContext")"#
    #expect(
      found?.sourceExpression?.description
        == "FETCH(\(request), \(context), NO)"
    )
  }

  @Test func `Renamed entities and properties are read from their former names`() throws {
    let before = model(entity("A", [attribute("x", .stringAttributeType, optional: true)]))
    let after = model(
      entity(
        "B",
        [attribute("y", .stringAttributeType, optional: true) { $0.renamingIdentifier = "x" }]
      ) { $0.renamingIdentifier = "A" })
    let found = try #require(
      mapping(from: before, to: after).entityMappingsByName["IEM_Transform_B"])
    #expect(found.sourceEntityName == "A")
    #expect(text(found.attributeMappings) == ["y": #"FUNCTION($source, "valueForKey:", "x")"#])
  }

  @Test func `A required attribute that was optional gets its default`() throws {
    let before = model(entity("A", [attribute("x", .stringAttributeType, optional: true)]))
    let after = model(entity("A", [attribute("x", .stringAttributeType) { $0.defaultValue = "d" }]))
    let found = try mapping(from: before, to: after).entityMappings[0].attributeMappings?.first
    let expression = try #require(found?.valueExpression)
    for (value, result) in [(nil, "d"), ("v", "v")] as [(String?, String)] {
      let source: [String: Any] = value.map { ["x": $0] } ?? [:]
      let variables: NSMutableDictionary = ["source": source]
      #expect(try expression.evaluated(with: nil, context: variables) as? String == result)
    }
  }

  @Test func `Transient and derived attributes are not mapped`() throws {
    let properties = {
      [
        attribute("t", .stringAttributeType, optional: true) { $0.isTransient = true },
        attribute("x", .stringAttributeType, optional: true),
      ]
    }
    let derived = NSDerivedAttributeDescription()
    derived.name = "d"
    derived.attributeType = .stringAttributeType
    derived.isOptional = true
    derived.derivationExpression = PredicateLanguage.NSExpression(format: "uppercase:(x)")
    let after = model(entity("A", properties() + [derived]))
    let found = try mapping(from: model(entity("A", properties())), to: after).entityMappings[0]
    #expect(text(found.attributeMappings).keys.sorted() == ["x"])
  }

  @Test func `Relationships map to the destination objects`() throws {
    func library() -> NSManagedObjectModel { libraryModel() }
    let selector = ManagerSelector.destinationsOfRelationship
    let books = #"FUNCTION($source, "valueForKey:", "books")"#
    let found = try #require(
      mapping(from: library(), to: library()).entityMappingsByName["IEM_Copy_Author"])
    #expect(
      text(found.relationshipMappings) == [
        "books":
          #"FUNCTION($manager, "\#(selector)", "books", \#(books))"#
      ])
  }

  @Test func `A mapping that cannot be inferred fails with Apple's error and the reason`() throws {
    let before = model(entity("A", [attribute("x", .stringAttributeType, optional: true)]))
    let after = model(entity("A", [attribute("x", .dateAttributeType, optional: true)]))
    let error = #expect(throws: NSError.self) { _ = try mapping(from: before, to: after) }
    #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134_190)
    #expect(error?.localizedDescription.contains("A.x: No conversion") == true)
    #expect(error?.userInfo["entity"] as? String == "A")
  }
}
