import CloudKitClient
import Foundation
import ManagedObjectModel
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Round trips of objects")
struct RoundTripTests {
  @Test func `Contents of random models survive encoding`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<60 {
      let model = Self.model(&random)
      let schema = try MirrorSchema(model: model, configuration: nil)
      var contents = RandomContents(schema: schema, random: random)
      for entity in schema.entities where !entity.isAbstract {
        let content = contents.content(entity.name, "RECORD")
        let record = try encoded(content, schema)
        let object = try decoded(record, schema)
        #expect(object.content == content, "\(random)")
        #expect(try object.differences(from: content).isEmpty, "\(random)")
        // The content is encoded over another record, and in parts.
        let other = try ServerRecords.copy(
          of: try encoded(contents.content(entity.name, "RECORD"), schema))
        #expect(
          try decoded(try encoded(content, schema, into: other), schema).content == content,
          "\(random)")
        let changed = contents.properties(entity.name)
        let next = contents.content(entity.name, "RECORD")
        let partly = try decoded(
          try encoded(next, schema, changed: changed, into: try ServerRecords.copy(of: record)),
          schema)
        let untouched = entity.sentProperties.subtracting(changed)
        #expect(partly.content.part(changed.sorted()) == next.part(changed.sorted()), "\(random)")
        #expect(
          partly.content.part(untouched.sorted()) == content.part(untouched.sorted()), "\(random)")
      }
      random = contents.random
    }
  }

  @Test func `Values of boundary lengths survive, and records stay within a megabyte`() throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      var record: CKRecord?
      for _ in 0..<20 {
        let lengths = (0..<3).map { _ in
          [1, 1_000, 300_000, 500_000, 768_000, 768_001, 1_000_000].randomElement(using: &random)
            ?? 0
        }
        let book = ObjectContent(
          entity: "Book", recordName: "BOOK",
          values: [
            "text": EveryFeatureModel.text("t", bytes: lengths[0]),
            "title": EveryFeatureModel.text("u", bytes: lengths[1]),
            "secret": EveryFeatureModel.text("s", bytes: lengths[2]),
          ])
        let written = try EveryFeatureModel.record(of: book, into: record, in: folder)
        #expect(try EveryFeatureModel.object(written).content == book, "\(random)")
        #expect(Self.inlineBytes(of: written) < 1_048_576, "\(random)")
        record = try ServerRecords.copy(of: written)
      }
    }
  }

  private static func inlineBytes(of record: CKRecord) -> Int {
    let values: [any CKRecordKeyValueSetting] = [record, record.encryptedValues]
    return values.reduce(0) { bytes, values in
      values.allKeys().reduce(bytes) {
        $0 + ((values[$1] as (any CKRecordValueProtocol)? as? String)?.utf8.count ?? 0)
      }
    }
  }

  // MARK: Random models

  private static let types: [NSAttributeType] = [
    .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .booleanAttributeType,
    .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .dateAttributeType,
    .stringAttributeType,
    .URIAttributeType, .UUIDAttributeType, .binaryDataAttributeType, .transformableAttributeType,
  ]

  private static func model(_ random: inout SeededGenerator) -> NSManagedObjectModel {
    var sketch = ModelSketch()
    for index in 0..<Int.random(in: 1...4, using: &random) {
      let parent = Bool.random(using: &random) ? sketch.entities.randomElement(using: &random) : nil
      let attributes = (0..<Int.random(in: 0...6, using: &random)).map { place in
        let isEncrypted = Int.random(in: 0..<4, using: &random) == 0
        let type = types.randomElement(using: &random) ?? .stringAttributeType
        return ModelSketch.attribute("a\(index)\(place)", type, encrypted: isEncrypted)
      }
      sketch.entity("Entity\(index)", under: parent, attributes)
    }
    for index in 0..<Int.random(in: 0...4, using: &random) {
      guard let one = sketch.entities.randomElement(using: &random),
        let other = sketch.entities.randomElement(using: &random)
      else { break }
      let (forth, back) = (Bool.random(using: &random), Bool.random(using: &random))
      sketch.relate(
        one, "r\(index)", toMany: forth, ordered: forth && Bool.random(using: &random), to: other,
        "i\(index)",
        backToMany: back)
    }
    return sketch.model
  }

  private func encoded(
    _ content: ObjectContent, _ schema: MirrorSchema, changed: Set<String>? = nil,
    into record: CKRecord? = nil
  ) throws -> CKRecord {
    let encoder = RecordEncoder(schema: schema)
    let staging = AssetFolder(
      besideStore: FileManager.default.temporaryDirectory.appendingPathComponent("none"))
    return try encoder.encode(
      content, changed: changed,
      into: record ?? encoder.makeRecord(for: content, in: EveryFeatureModel.zone),
      staging: staging
    ).record
  }

  private func decoded(_ record: CKRecord, _ schema: MirrorSchema) throws -> DecodedObject {
    guard
      case .object(let object) = RecordDecoder(schema: schema, expectsSealed: true).decode(record)
    else {
      throw EveryFeatureModel.NoObject()
    }
    return object
  }
}
