import Foundation
import ManagedObjectModel
import ModelSource
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `The source of a mapping model` {
  private static func model(_ contents: String) throws -> NSManagedObjectModel {
    let text = "<model>\(contents)</model>"
    return try ModelBundle(name: "M", contents: [UInt8](text.utf8)).currentVersion.model
  }

  private static func entity(_ name: String, _ properties: String...) -> String {
    "<entity name=\"\(name)\">\(properties.joined())</entity>"
  }

  private static func attribute(_ name: String, _ type: String) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"/>"
  }

  private static func relationship(
    _ name: String, _ destination: String, _ inverse: String, _ count: String
  ) -> String {
    """
    <relationship name="\(name)" optional="YES" \(count) destinationEntity="\(destination)"
      inverseName="\(inverse)" inverseEntity="\(destination)"/>
    """
  }

  private static func books(_ pages: String, _ page: String, _ attributes: String...) -> String {
    entity(
      "Book", attributes.joined(), relationship(pages, page, "book", "toMany=\"YES\""))
      + entity(page, relationship("book", "Book", pages, "maxCount=\"1\""))
  }

  private static func first() throws -> NSManagedObjectModel {
    try model(books("pages", "Page", attribute("title", "String")) + entity("Old"))
  }

  private static func second() throws -> NSManagedObjectModel {
    try model(
      books("sheets", "Sheet", attribute("title", "String"), attribute("year", "Integer 16"))
        + entity("New"))
  }

  private func compile(
    _ source: MappingSourceText, in folder: URL
  ) throws -> [String: NSEntityMapping] {
    try MappingSource(contentsOf: source.write(to: folder))
      .mapping(from: Self.first(), to: Self.second()).entityMappingsByName
  }

  private func expressions(_ mappings: [NSPropertyMapping]?) -> [String: String?] {
    Dictionary(
      uniqueKeysWithValues: (mappings ?? []).map {
        ($0.name ?? "", $0.valueExpression?.description)
      })
  }

  @Test func `Mappings get names, types, hashes and generated expressions`() throws {
    var source = MappingSourceText()
    source.add(
      ["sourcename": "Page", "destinationname": "Sheet", "mappingnumber": "2"],
      relationships: [["name": "book", "autogenerateexpression": "1"]])
    source.add(
      ["sourcename": "Book", "destinationname": "Book", "mappingnumber": "1"],
      attributes: [["name": "title"], ["name": "year"]],
      relationships: [["name": "sheets", "sourcekeypath": "pages"]])
    source.add(["destinationname": "New", "mappingnumber": "3"])
    source.add(["sourcename": "Old", "mappingnumber": "4"])
    try withTemporaryDirectory { folder in
      let url = try source.write(to: folder)
      let read = try MappingSource(contentsOf: url)
      #expect(read.name == "Change")
      #expect(read.sourceModelPath == "App/Model.xcdatamodeld/Model 1.xcdatamodel")
      let model = try read.mapping(from: Self.first(), to: Self.second())
      #expect(model.entityMappings.map(\.name) == ["BookToBook", "PageToSheet", "New", "Old"])
      #expect(
        model.entityMappings.map(\.mappingType) == [
          .transformEntityMappingType, .transformEntityMappingType, .addEntityMappingType,
          .removeEntityMappingType,
        ])
      let book = model.entityMappings[0]
      let first = try Self.first()
      #expect(book.sourceEntityVersionHash == first.entitiesByName["Book"]?.versionHash)
      #expect(
        expressions(book.attributeMappings) == [
          "title": #"FUNCTION($source, "valueForKey:", "title")"#, "year": nil,
        ])
      #expect(
        expressions(book.relationshipMappings) == [
          "sheets": MappingExpressions.destinations(ofKeyPath: "pages", inMapping: "PageToSheet")
            .description
        ])
      #expect(MappingFit(model, from: try Self.first(), to: try Self.second()).isComplete)
    }
  }

  @Test func `Written expressions, filters, policies and user info are kept`() throws {
    let expression = NSExpression(format: "$source.title.length + 1")
    let info = try #require(ValueArchive.data(of: ["factor": 3])).base64EncodedString()
    var source = MappingSourceText()
    source.add(
      [
        "name": "Books", "sourcename": "Book", "destinationname": "Book",
        "sourcefilterpredicatestring": "title != nil", "migrationpolicyclassname": "App.Policy",
        "userinfodata": info,
      ],
      attributes: [
        [
          "name": "year",
          "valueexpressiondata": try CompiledMapping.writeExpression(expression)
            .base64EncodedString(),
        ]
      ])
    try withTemporaryDirectory { folder in
      let book = try #require(compile(source, in: folder)["Books"])
      #expect(book.mappingType == .customEntityMappingType)
      #expect(book.entityMigrationPolicyClassName == "App.Policy")
      #expect(book.userInfo?["factor"] as? Int == 3)
      #expect(book.sourceExpression?.description.contains("\"title != nil\"") == true)
      #expect(expressions(book.attributeMappings) == ["year": "$source.title.length + 1"])
    }
  }

  @Test func `Mappings that the mapping model does not reference are skipped`() throws {
    var source = MappingSourceText()
    source.add(["sourcename": "Book", "destinationname": "Book"])
    source.addUnreferenced(["sourcename": "Book", "destinationname": "Gone"])
    try withTemporaryDirectory { folder throws in
      #expect(try compile(source, in: folder).keys.sorted() == ["BookToBook"])
    }
  }

  @Test(
    arguments: [
      (["sourcename": "None", "destinationname": "Book"], nil, "source model has no entity None"),
      (
        ["sourcename": "Book", "destinationname": "None"], nil,
        "destination model has no entity None"
      ),
      (
        ["sourcename": "Book", "destinationname": "Book"], ["name": "none"],
        "has no attribute none"
      ),
      (
        ["sourcename": "Book", "destinationname": "Book"],
        ["name": "title", "valueexpressiondata": "YWJj"], "The expression cannot be read"
      ),
      (
        ["sourcename": "Book", "destinationname": "Book", "userinfodata": "YWJj"], nil,
        "The user info cannot be read"
      ),
    ] as [([String: String], [String: String]?, String)])
  func `A wrong mapping is an error that names it`(
    values: [String: String], attribute: [String: String]?, words: String
  ) throws {
    var source = MappingSourceText()
    source.add(values, attributes: attribute.map { [$0] } ?? [])
    try withTemporaryDirectory { folder in
      let error = #expect(throws: ModelSourceError.self) { _ = try compile(source, in: folder) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      let name = "\(values["sourcename"] ?? "")To\(values["destinationname"] ?? "")"
      #expect(error?.message.contains("entity mapping \(name)") == true)
    }
  }

  @Test(arguments: [
    ("<database></database>", "no mapping model"), ("<model></model>", "not <database>"),
    ("<database><object></object></database>", "no id or no type"), ("<database>", "not closed"),
  ])
  func `A file that is not a mapping model is an error`(text: String, words: String) throws {
    try withTemporaryDirectory { folder in
      let url = try MappingSourceText().write(to: folder, text: text)
      let error = #expect(throws: ModelSourceError.self) { _ = try MappingSource(contentsOf: url) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      #expect(throws: ModelSourceError.self) {
        _ = try MappingSource(contentsOf: folder.appendingPathComponent("None.xcmappingmodel"))
      }
    }
  }

  @Test func `A file that is too large is an error`() throws {
    try withTemporaryDirectory { folder in
      let url = try MappingSourceText().write(to: folder, text: "")
      // The file has no blocks on the disk.
      let handle = try FileHandle(forWritingTo: url.appendingPathComponent("xcmapping.xml"))
      try handle.truncate(atOffset: UInt64(ModelSource.Limits.mappingBytes) + 1)
      try handle.close()
      let error = #expect(throws: ModelSourceError.self) { _ = try MappingSource(contentsOf: url) }
      #expect(error?.code == .tooLarge)
    }
  }
}

@Suite(.requiresFixtures) struct `Xcode's mapping models` {
  @Test(arguments: [
    ("Model1_to_Model2", "Model1", "Model2", ["UserToUser", "Author", "BookToBook"]),
    ("Model2_to_Model3", "Model2", "Model3", ["File", "BookToBook", "AuthorToAuthor"]),
  ])
  func `The source of a real project is compiled`(
    name: String, source: String, destination: String, mappings: [String]
  ) throws {
    let folder = try Fixtures.url("models")
    let bundle = try ModelBundle(
      contentsOf: folder.appendingPathComponent("BookMigration__Model.xcdatamodeld"))
    let read = try MappingSource(
      contentsOf: folder.appendingPathComponent("BookMigration__\(name).xcmappingmodel"))
    #expect(read.sourceModelPath.hasSuffix("\(source).xcdatamodel"))
    let model = try read.mapping(
      from: #require(bundle.version(named: source)).model,
      to: #require(bundle.version(named: destination)).model)
    #expect(model.entityMappings.map(\.name) == mappings)
    let book = try #require(model.entityMappingsByName["BookToBook"])
    #expect(book.entityMigrationPolicyClassName == "MHWBookToBookPolicy")
    #expect(book.userInfo?["modelVersion"] as? String == String(destination.suffix(1)))
    #expect(try CompiledMapping.read(CompiledMapping.write(model)).entityMappings.count == 3)
  }
}
