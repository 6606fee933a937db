package import CloudKitClient
package import Foundation
package import ManagedObjectModel
package import MirrorModel
import PredicateLanguage

/// A model with every feature that records can represent: works of several kinds, people, shelves.
package enum EveryFeatureModel {
  package static let model: NSManagedObjectModel = {
    var sketch = ModelSketch()
    let work = sketch.entity(
      "Work", isAbstract: true, [ModelSketch.attribute("title", .stringAttributeType)])
    let book = sketch.entity("Book", under: work, values)
    sketch.entity(
      "Film", under: work, [ModelSketch.attribute("minutes", .integer32AttributeType, required: 90)]
    )
    let person = sketch.entity("Person", [ModelSketch.attribute("name", .stringAttributeType)])
    let passport = sketch.entity(
      "Passport", [ModelSketch.attribute("number", .stringAttributeType, encrypted: true)])
    let shelf = sketch.entity("Shelf", [ModelSketch.attribute("room", .stringAttributeType)])
    person.uniquenessConstraints = [["name"]]
    sketch.relate(work, "shelf", to: shelf, "works", backToMany: true, backOrdered: true)
    sketch.relate(work, "makers", toMany: true, to: person, "works", backToMany: true)
    sketch.relate(person, "passport", to: passport, "holder")
    sketch.relate(person, "boss", to: person, "staff", backToMany: true)
    sketch.relate(person, "follows", toMany: true, to: person, "followers", backToMany: true)
    sketch.relateToItself(person, "friends", toMany: true)
    sketch.relateToItself(person, "spouse", toMany: false)
    sketch.relate(
      shelf, "keepers", toMany: true, ordered: true, to: person, "shelves", backToMany: true)
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType, derived.isOptional) = (
      "count", .integer64AttributeType, true
    )
    derived.derivationExpression = .init(format: "works.@count")
    shelf.properties.append(derived)
    return sketch.model
  }()

  /// Attributes of every type.
  private static var values: [NSAttributeDescription] {
    let external = ModelSketch.attribute("scan", .binaryDataAttributeType)
    external.allowsExternalBinaryDataStorage = true
    let transient = ModelSketch.attribute("selected", .undefinedAttributeType)
    transient.isTransient = true
    return [
      ModelSketch.attribute("address", .URIAttributeType),
      ModelSketch.attribute("chapters", .integer16AttributeType),
      ModelSketch.attribute("cover", .binaryDataAttributeType), external, transient,
      ModelSketch.attribute("identifier", .UUIDAttributeType),
      ModelSketch.attribute("isRead", .booleanAttributeType),
      ModelSketch.attribute("pages", .integer32AttributeType),
      ModelSketch.attribute("price", .decimalAttributeType),
      ModelSketch.attribute("printed", .dateAttributeType),
      ModelSketch.attribute("rating", .floatAttributeType),
      ModelSketch.attribute("secret", .stringAttributeType, encrypted: true),
      ModelSketch.attribute("tags", .transformableAttributeType),
      ModelSketch.attribute("text", .stringAttributeType),
      ModelSketch.attribute("weight", .doubleAttributeType),
      ModelSketch.attribute("words", .integer64AttributeType),
      ModelSketch.composite(
        "size",
        [
          ModelSketch.attribute("height", .doubleAttributeType),
          ModelSketch.attribute("unit", .stringAttributeType),
        ]),
    ]
  }

  package static let schema: MirrorSchema = {
    do { return try MirrorSchema(model: model, configuration: nil) } catch {
      preconditionFailure("\(error)")
    }
  }()

  package static let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// A book with a value of every type.
  package static let book = ObjectContent(
    entity: "Book", recordName: "BOOK",
    values: [
      "address": .uri(URL(string: "https://example.com/a%20b") ?? URL(filePath: "/")),
      "chapters": .integer(-7),
      "cover": .data(Data([1, 2, 255])),
      "identifier": .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
      "isRead": .boolean(true), "pages": .integer(1 << 30),
      "price": .decimal(Decimal(string: "12.34") ?? 0),
      "printed": .date(Date(timeIntervalSince1970: 1_422_312_944.104)), "rating": .float(4.5),
      "scan": .data(Data("scan".utf8)), "secret": .string("sesame"), "size.height": .double(29.7),
      "size.unit": .string("cm"), "tags": .data(Data("archive".utf8)),
      "text": .string("Once \"upon\"\na time"),
      "title": .string("Überall"), "weight": .double(0.1), "words": .integer(.max),
    ], references: ["shelf": "SHELF"])

  /// Encodes a content as a record.
  ///
  /// - Parameter folder: The folder for the files of long values.
  package static func record(
    of content: ObjectContent, changed: Set<String>? = nil, into record: CKRecord? = nil,
    in folder: URL = FileManager.default.temporaryDirectory
  ) throws -> CKRecord {
    let encoder = RecordEncoder(schema: schema)
    let staging = AssetFolder(besideStore: folder.appendingPathComponent("Shelf.sqlite"))
    return try encoder.encode(
      content, changed: changed, into: record ?? encoder.makeRecord(for: content, in: zone),
      staging: staging
    ).record
  }

  package static func text(_ character: Character, bytes: Int) -> MirrorValue {
    .string(String(repeating: character, count: bytes))
  }
}
