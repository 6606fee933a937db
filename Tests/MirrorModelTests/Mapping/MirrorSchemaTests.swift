import CloudKitClient
import CloudSchema
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Cloud schemas of models")
struct MirrorSchemaTests {
  @Test func `Records have the types of root entities and the fields of all subentities`() throws {
    #expect(
      SchemaSamples(EveryFeatureModel.schema).text == """
        DEFINE SCHEMA

            RECORD TYPE CD_Passport (
                CD_entityName          STRING,
                CD_holder              STRING,
                CD_moveReceipt         BYTES,
                CD_moveReceipt_ckAsset ASSET,
                CD_number              ENCRYPTED STRING,
                CD_number_ckAsset      ASSET,
                PH_moves               INT64
            );

            RECORD TYPE CD_Person (
                CD_boss                STRING,
                CD_entityName          STRING,
                CD_moveReceipt         BYTES,
                CD_moveReceipt_ckAsset ASSET,
                CD_name                STRING,
                CD_name_ckAsset        ASSET,
                CD_passport            STRING,
                CD_spouse              STRING,
                PH_moves               INT64,
                PH_standsFor           STRING
            );

            RECORD TYPE CD_Shelf (
                CD_entityName            STRING,
                CD_moveReceipt           BYTES,
                CD_moveReceipt_ckAsset   ASSET,
                CD_room                  STRING,
                CD_room_ckAsset          ASSET,
                PH_keepers_order         STRING,
                PH_keepers_order_ckAsset ASSET,
                PH_moves                 INT64,
                PH_works_order           STRING,
                PH_works_order_ckAsset   ASSET
            );

            RECORD TYPE CD_Work (
                CD_address             STRING,
                CD_chapters            INT64,
                CD_cover               BYTES,
                CD_cover_ckAsset       ASSET,
                CD_entityName          STRING,
                CD_identifier          STRING,
                CD_isRead              INT64,
                CD_minutes             INT64,
                CD_moveReceipt         BYTES,
                CD_moveReceipt_ckAsset ASSET,
                CD_pages               INT64,
                CD_price               DOUBLE,
                CD_printed             TIMESTAMP,
                CD_rating              DOUBLE,
                CD_scan                BYTES,
                CD_scan_ckAsset        ASSET,
                CD_secret              ENCRYPTED STRING,
                CD_secret_ckAsset      ASSET,
                CD_shelf               STRING,
                CD_size_height         DOUBLE,
                CD_size_unit           STRING,
                CD_size_unit_ckAsset   ASSET,
                CD_tags                BYTES,
                CD_tags_ckAsset        ASSET,
                CD_text                STRING,
                CD_text_ckAsset        ASSET,
                CD_title               STRING,
                CD_title_ckAsset       ASSET,
                CD_weight              DOUBLE,
                CD_words               INT64,
                PH_moves               INT64,
                PH_price_exact         STRING,
                PH_printed_exact       STRING,
                PH_rating_exact        STRING,
                PH_size_height_exact   STRING,
                PH_weight_exact        STRING
            );

            RECORD TYPE CDMR (
                CD_entityNames   STRING,
                CD_recordNames   STRING,
                CD_relationships STRING,
                PH_moves         INT64
            );

        """)
  }

  @Test func `Servers can import the printed schema`() throws {
    let schema = try Schema(text: SchemaSamples(EveryFeatureModel.schema).text)
    #expect(
      schema.types.map(\.name).sorted() == [
        "CDMR", "CD_Passport", "CD_Person", "CD_Shelf", "CD_Work",
      ])
  }

  @Test func `Sample records have every field`() throws {
    try withTemporaryDirectory { folder in
      let staging = AssetFolder(besideStore: folder.appendingPathComponent("Shelf.sqlite"))
      let samples = try SchemaSamples(EveryFeatureModel.schema).records(
        in: EveryFeatureModel.zone, staging: staging)
      var fields: [String: Set<String>] = [:]
      for sample in samples {
        let keys = sample.record.allKeys() + sample.record.encryptedValues.allKeys()
        fields[sample.record.recordType, default: []].formUnion(keys)
      }
      var printed: [String: Set<String>] = [:]
      var type = ""
      for line in SchemaSamples(EveryFeatureModel.schema).text.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "RECORD" {
          type = words[2]
        } else if words[0].contains("_") {
          printed[type, default: []].insert(words[0])
        }
      }
      #expect(fields == printed && fields.count == 5)
      #expect(samples.filter { $0.record.recordType == "CD_Work" }.count == 2)
      #expect(
        samples.first { $0.record.recordType == "CD_Passport" }?.record.encryptedValues.allKeys()
          == ["CD_number"])
      #expect(
        samples.flatMap(\.files).allSatisfy { FileManager.default.fileExists(atPath: $0.url.path) })
      staging.remove(samples.flatMap(\.files))
      #expect(try FileManager.default.contentsOfDirectory(atPath: staging.url.path) == [])
    }
  }

  @Test func `Both sides of a relationship decide its form`() throws {
    let (book, person) = (
      try #require(EveryFeatureModel.schema["Book"]),
      try #require(EveryFeatureModel.schema["Person"])
    )
    let shelf = try #require(EveryFeatureModel.schema["Shelf"])
    #expect(book.recordType == "CD_Work" && book.lineage == ["Book", "Work"])
    #expect(
      book.references.map(\.property) == ["shelf"] && book.reference("shelf")?.isOneToOne == false)
    #expect(person.references.map(\.property) == ["boss", "passport", "spouse"])
    #expect(
      person.reference("passport")?.isOneToOne == true
        && person.reference("spouse")?.isOneToOne == true)
    #expect(person.members == ["staff": "boss"] && shelf.members == ["works": "shelf"])
    #expect(person.joins.keys.sorted() == ["followers", "follows", "friends", "shelves", "works"])
    #expect(shelf.orders.map(\.property) == ["keepers", "works"])
    #expect(
      shelf.sentProperties == ["room", "keepers", "works"]
        && shelf.ignoredFields.contains("CD_count"))
    #expect(book.sentProperties.contains("size") && !book.sentProperties.contains("selected"))
  }

  @Test func `Pairs are ordered by their entities' names, then by their relationships'`() throws {
    let joins = EveryFeatureModel.schema.joins.map {
      "\($0.firstEntity):\($0.secondEntity) \($0.firstRelationship):\($0.secondRelationship)"
    }
    #expect(
      joins == [
        "Person:Person followers:follows", "Person:Person friends:friends",
        "Person:Shelf shelves:keepers",
        "Person:Work works:makers",
      ])
    let makers = try #require(EveryFeatureModel.schema["Book"]?.joins["makers"])
    #expect(!makers.isFirst && makers.pair(of: "BOOK", with: "ADA").first == "ADA")
    let works = try #require(EveryFeatureModel.schema["Person"]?.joins["works"])
    #expect(works.pair(of: "ADA", with: "BOOK") == makers.pair(of: "BOOK", with: "ADA"))
    let friends = try #require(EveryFeatureModel.schema["Person"]?.joins["friends"])
    #expect(friends.pair(of: "B", with: "A") == friends.pair(of: "A", with: "B"))
    let follows = try #require(EveryFeatureModel.schema["Person"]?.joins["follows"])
    #expect(follows.pair(of: "B", with: "A") != follows.pair(of: "A", with: "B"))
  }
}
