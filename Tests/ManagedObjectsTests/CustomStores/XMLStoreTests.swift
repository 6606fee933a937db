import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite struct `XML stores` {
  private func file(_ folder: URL) -> URL { folder.appendingPathComponent("shelf.xml") }

  private func open(_ text: String, in folder: URL) throws -> ShelfStack {
    try text.write(to: file(folder), atomically: true, encoding: .utf8)
    return try ShelfStack(NSXMLStoreType, at: file(folder))
  }

  @Test func `A store is written in Apple's form`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(NSXMLStoreType, at: file(folder))
      let author = stack.context.add("Author", ["name": "A & <B> \\"])
      try stack.context.save()
      stack.context.add(
        "Book",
        [
          "title": "One", "author": author, "lent": true, "pages": 10, "shelf": 2, "sold": 3,
          "rating": 0.5, "weight": 0.25, "added": Date(timeIntervalSinceReferenceDate: 10.5),
          "cover": Data([1, 2, 3]), "price": NSDecimalNumber(string: "1.50"),
        ])
      try stack.context.save()
      let text = try String(contentsOf: file(folder), encoding: .utf8)
      #expect(
        text.hasPrefix(
          """
          <?xml version="1.0" standalone="yes"?>
          <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

          <database>
              <databaseInfo>
                  <version>134481920</version>
                  <UUID>\(try #require(stack.store.identifier))</UUID>
                  <nextObjectID>103</nextObjectID>
                  <metadata>
          <plist version="1.0">
          """))
      #expect(
        text.hasSuffix(
          """
              <object type="AUTHOR" id="z102">
                  <attribute name="name" type="string">A \\u2600 \\u3c00B\\u3e00 \\u5c00</attribute>
                  <relationship name="books" type="0/0" \
          destination="BOOK" idrefs="z103"></relationship>
                  <relationship name="favourites" type="0/0" destination="BOOK"></relationship>
              </object>
              <object type="BOOK" id="z103">
                  <attribute name="added" type="date">10.5</attribute>
                  <attribute name="cover" type="binary">AQID</attribute>
                  <attribute name="lent" type="bool">1</attribute>
                  <attribute name="pages" type="int32">10</attribute>
                  <attribute name="price" type="decimal">1.5</attribute>
                  <attribute name="rating" type="double">0.5</attribute>
                  <attribute name="shelf" type="int16">2</attribute>
                  <attribute name="sold" type="int64">3</attribute>
                  <attribute name="title" type="string">One</attribute>
                  <attribute name="weight" type="float">0.25</attribute>
                  <relationship name="author" type="0/1" \
          destination="AUTHOR" idrefs="z102"></relationship>
                  <relationship name="chapters" type="0/0" destination="CHAPTER"></relationship>
                  <relationship name="fans" type="0/0" destination="AUTHOR"></relationship>
                  <relationship name="prequel" type="0/1" destination="BOOK"></relationship>
                  <relationship name="sequel" type="0/1" destination="BOOK"></relationship>
                  <relationship name="tags" type="0/0" destination="TAG"></relationship>
              </object>
          </database>

          """))
    }
  }

  @Test func `A store as Apple's tools write it is read`() throws {
    try withTemporaryDirectory { folder in
      let stack = try open(
        """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID>
                <nextObjectID>104</nextObjectID>
                <metadata></metadata>
            </databaseInfo>
            <object type="AUTHOR" id="z102">
                <attribute name="name" type="string">\\u3c00Ann\\u3e00 &amp; co</attribute>
                <relationship name="books" type="0/0" \
        destination="BOOK" idrefs="z103 z104"></relationship>
            </object>
            <object type="BOOK" id="z103">
                <attribute name="title" type="string">One</attribute>
                <attribute name="added" type="date">265925183.93425101041793823242</attribute>
                <attribute name="cover" type="binary">AQ
        ID
        </attribute>
                <relationship name="author" type="1/1" \
        destination="AUTHOR" idrefs="z102"></relationship>
            </object>
            <object type="NOVEL" id="z104">
                <attribute name="title" type="string">Two</attribute>
                <attribute name="lent" type="bool">1</attribute>
            </object>
        </database>
        """, in: folder)
      #expect(stack.store.identifier == "343C8D7F-A000-42C4-8463-43FA1E5EF3FB")
      let author = try #require(try stack.context.one("Author"))
      #expect(author.text("name") == "<Ann> & co")
      #expect(Set(author.related("books").compactMap { $0.text("title") }) == ["One", "Two"])
      let book = try #require(try stack.context.one("Book", "title == 'One'"))
      #expect(book.value(forKey: "cover") as? Data == Data([1, 2, 3]))
      let date = try #require(book.value(forKey: "added") as? Date)
      #expect(date.timeIntervalSinceReferenceDate == 265925183.93425101041793823242)
      let uri = try #require(
        URL(string: "x-coredata://343C8D7F-A000-42C4-8463-43FA1E5EF3FB/Novel/p104"))
      #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) != nil)
      let new = stack.context.add("Tag")
      try stack.context.save()
      #expect(new.objectID.uriRepresentation().lastPathComponent == "p105")
    }
  }

  @Test func `Metadata may contain integers above the signed range`() throws {
    try withTemporaryDirectory { folder in
      let stack = try open(
        """
        <database><databaseInfo><metadata><plist version="1.0"><dict><key>large</key>\
        <integer>18446744073709551615</integer></dict></plist></metadata></databaseInfo></database>
        """, in: folder)
      #expect(stack.store.metadata["large"] as? UInt64 == UInt64.max)
    }
  }

  @Test func `Objects with other names keep them`() throws {
    try withTemporaryDirectory { folder in
      let stack = try open(
        """
        <database><object type="TAG" id="atom1">\
        <attribute name="word" type="string">x</attribute></object></database>
        """, in: folder)
      stack.context.add("Tag", ["word": "y"])
      try stack.context.save()
      let text = try String(contentsOf: file(folder), encoding: .utf8)
      #expect(text.contains("id=\"atom1\""))
      #expect(text.contains("id=\"z102\""))
    }
  }

  @Test(arguments: [
    ("TAG", "", "no id"), ("TREE", "z1", "entity TREE"), ("TAG", "z1 x string 1", "property x"),
    ("BOOK", "z1 pages int32 ten", "Book.pages"), ("BOOK", "z1 shelf int32 70000", "Book.shelf"),
    ("BOOK", "z1 author AUTHOR z9", "z9"), ("TAG", "z1 twice", "several objects named z1"),
    ("TAG", "z1 books string 1", "books"), ("BOOK", "z1 author BOOK z1", "Book.author"),
  ]) func `What the model does not allow is an error that names it`(
    _ sample: (entity: String, parts: String, name: String)
  ) throws {
    try withTemporaryDirectory { folder in
      let error = try #require(throws: CocoaError.self) {
        try open("<database>\(Self.object(sample.entity, sample.parts))</database>", in: folder)
      }
      #expect(error.code == .fileReadCorruptFile)
      #expect("\(error)".contains(sample.name), "\(error)")
    }
  }

  @Test(arguments: [
    "<databaseInfo><nextObjectID>9223372036854775807</nextObjectID></databaseInfo>",
    "<object type=\"TAG\" id=\"z9223372036854775807\"></object>",
  ]) func `An object number after which none is left is an error`(content: String) throws {
    try withTemporaryDirectory { folder in
      let error = try #require(throws: CocoaError.self) {
        try open("<database>\(content)</database>", in: folder)
      }
      #expect("\(error)".contains("too large"), "\(error)")
    }
  }

  @Test func `Two destinations of a to-one relationship are an error`() throws {
    let authors = ["z1", "z2"].map { Self.object("AUTHOR", $0) }.joined()
    let book =
      "<object type=\"BOOK\" id=\"z3\"><relationship name=\"author\" destination=\"AUTHOR\" "
      + "idrefs=\"z1 z2\"/></object>"
    try withTemporaryDirectory { folder in
      let error = try #require(throws: CocoaError.self) {
        try open("<database>\(authors)\(book)</database>", in: folder)
      }
      #expect("\(error)".contains("Book.author"), "\(error)")
    }
  }

  /// An object with an attribute or a relationship; two objects for `twice`.
  private static func object(_ entity: String, _ parts: String) -> String {
    let words = parts.split(separator: " ")
    let name = words.first.map { " id=\"\($0)\"" } ?? ""
    let content =
      switch words.count {
      case 4 where words[2].allSatisfy(\.isUppercase):
        "<relationship name=\"\(words[1])\" destination=\"\(words[2])\" idrefs=\"\(words[3])\"/>"
      case 4: "<attribute name=\"\(words[1])\" type=\"\(words[2])\">\(words[3])</attribute>"
      default: ""
      }
    let object = "<object type=\"\(entity)\"\(name)>\(content)</object>"
    return words.last == "twice" ? object + object : object
  }

  @Test func `A declaration of an XML entity is refused`() throws {
    try withTemporaryDirectory { folder in
      let error = try #require(throws: CocoaError.self) {
        try open("<!DOCTYPE database [<!ENTITY a \"b\">]><database></database>", in: folder)
      }
      #expect(error.code == .fileReadCorruptFile)
    }
  }

  // MARK: Apple's files

  /// The entities of Xcode's mapping models, which are XML stores.
  private static func mappingModel() -> NSManagedObjectModel {
    func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
      ShelfModel.entity(name, attributes.map { ShelfModel.attribute($0.0, $0.1) })
    }
    let model = entity(
      "XDDevMappingModel",
      [
        ("sourceModelPath", .stringAttributeType), ("destinationModelPath", .stringAttributeType),
        ("sourceModelData", .binaryDataAttributeType),
        ("destinationModelData", .binaryDataAttributeType),
      ])
    let mapping = entity(
      "XDDevEntityMapping",
      [
        ("sourceName", .stringAttributeType), ("destinationName", .stringAttributeType),
        ("mappingTypeName", .stringAttributeType), ("mappingNumber", .integer16AttributeType),
        ("migrationPolicyClassName", .stringAttributeType),
        ("autogenerateExpression", .booleanAttributeType),
        ("userInfoData", .binaryDataAttributeType),
      ])
    let properties = ["XDDevAttributeMapping", "XDDevRelationshipMapping"].map {
      entity(
        $0,
        [
          ("name", .stringAttributeType), ("valueExpression", .stringAttributeType),
          ("autogenerateExpression", .booleanAttributeType),
        ])
    }
    let names = ["attributeMappings", "relationshipMappings"]
    relate(model, "entityMappings", mapping, "mappingModel")
    for (name, property) in zip(names, properties) {
      relate(mapping, name, property, "entityMapping")
    }
    let all = NSManagedObjectModel()
    all.entities = [model, mapping] + properties
    return all
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, _ other: NSEntityDescription, _ inverse: String
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, back.name) = (name, inverse)
    (there.maxCount, back.maxCount) = (0, 1)
    (there.destinationEntity, back.destinationEntity) = (other, one)
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    one.properties += [there]
    other.properties += [back]
  }

  @Test(
    .requiresFixtures,
    arguments: ["Model1_to_Model2", "Model2_to_Model3", "Model2_to_Model3_User"])
  func `A mapping model of Xcode opens as the XML store that it is`(_ name: String) throws {
    let source = try Fixtures.url("models/BookMigration__\(name).xcmappingmodel/xcmapping.xml")
    try withTemporaryDirectory { folder in
      let copy = folder.appendingPathComponent("xcmapping.xml")
      try FileManager.default.copyItem(at: source, to: copy)
      let options = [NSIgnorePersistentStoreVersioningOption: true]
      func counts() throws -> [Int] {
        let context = try ShelfStack(
          NSXMLStoreType, at: copy, model: Self.mappingModel(), options: options
        ).context
        let mapping = try #require(try context.one("XDDevMappingModel"))
        let data = try #require(mapping.value(forKey: "sourceModelData") as? Data)
        #expect(data.starts(with: Array("bplist00".utf8)))
        #expect(
          try mapping.related("entityMappings").count
            == context.all("XDDevEntityMapping", "mappingModel != nil").count)
        for property in try context.all("XDDevAttributeMapping") {
          #expect(property.related("entityMapping").count == 1)
        }
        return try context.coordinatorEntityCounts()
      }
      let before = try counts()
      let stack = try ShelfStack(
        NSXMLStoreType, at: copy, model: Self.mappingModel(), options: options)
      let mapping = try #require(try stack.context.one("XDDevMappingModel"))
      mapping.setValue("other", forKey: "sourceModelPath")
      try stack.context.save()
      #expect(try counts() == before)
    }
  }
}

extension NSManagedObjectContext {
  /// The number of objects of each entity, by name.
  fileprivate func coordinatorEntityCounts() throws -> [Int] {
    let entities = persistentStoreCoordinator?.managedObjectModel.entities ?? []
    return try entities.compactMap(\.name).sorted().map { try all($0).count }
  }
}
