import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

/// The records of objects as text.
///
/// Apple's container reads and writes these fields.
@Suite("Records of objects")
struct RecordGoldenTests {
  @Test func `The record of an object has a field for every type of attribute`() throws {
    #expect(
      RecordText.text(of: try EveryFeatureModel.record(of: EveryFeatureModel.book)) == """
        CD_Work BOOK
          CD_address      STRING "https://example.com/a%20b"
          CD_chapters     INT64 -7
          CD_cover        BYTES <0102ff>
          CD_entityName   STRING "Book"
          CD_identifier   STRING "00010203-0405-0607-0809-0A0B0C0D0E0F"
          CD_isRead       INT64 1
          CD_pages        INT64 1073741824
          CD_price        DOUBLE 12.34
          CD_printed      TIMESTAMP 1422312944104
          CD_rating       DOUBLE 4.5
          CD_scan         BYTES <7363616e>
          CD_secret       ENCRYPTED STRING "sesame"
          CD_shelf        STRING "SHELF"
          CD_size_height  DOUBLE 29.7
          CD_size_unit    STRING "cm"
          CD_tags         BYTES <61726368697665>
          CD_text         STRING "Once \\"upon\\"\\na time"
          CD_title        STRING "Überall"
          CD_weight       DOUBLE 0.1
          CD_words        INT64 9223372036854775807

        """)
  }

  @Test func `An object without values has the name of its entity`() throws {
    let text = RecordText.text(
      of: try EveryFeatureModel.record(of: ObjectContent(entity: "Film", recordName: "FILM")))
    #expect(
      text == """
        CD_Work FILM
          CD_entityName  STRING "Film"

        """)
  }

  @Test func `One-to-one references are in both records, one-to-many ones in the member's`() throws
  {
    let ada = ObjectContent(
      entity: "Person", recordName: "ADA", values: ["name": .string("Ada")],
      references: ["passport": "PASS", "boss": "BOB", "spouse": "CLEO"])
    let pass = ObjectContent(
      entity: "Passport", recordName: "PASS", values: ["number": .string("007")],
      references: ["holder": "ADA"])
    #expect(
      try text([ada, pass, ObjectContent(entity: "Person", recordName: "BOB")]) == """
        CD_Person ADA
          CD_boss        STRING "BOB"
          CD_entityName  STRING "Person"
          CD_name        STRING "Ada"
          CD_passport    STRING "PASS"
          CD_spouse      STRING "CLEO"
        CD_Passport PASS
          CD_entityName  STRING "Passport"
          CD_holder      STRING "ADA"
          CD_number      ENCRYPTED STRING "007"
        CD_Person BOB
          CD_entityName  STRING "Person"

        """)
  }

  @Test func `Pairs of many-to-many relationships have separate records`() throws {
    let encoder = RecordEncoder(schema: EveryFeatureModel.schema)
    let (book, person) = (
      try #require(EveryFeatureModel.schema["Book"]),
      try #require(EveryFeatureModel.schema["Person"])
    )
    let pairs = [
      book.joins["makers"]?.pair(of: "BOOK", with: "ADA"),
      person.joins["follows"]?.pair(of: "BOB", with: "ADA"),
      person.joins["friends"]?.pair(of: "BOB", with: "ADA"),
    ].compactMap(\.self)
    let texts = pairs.map {
      RecordText.text(of: encoder.record(for: $0, named: "PAIR", in: EveryFeatureModel.zone))
    }
    #expect(
      texts.joined() == """
        CDMR PAIR
          CD_entityNames    STRING "Person:Work"
          CD_recordNames    STRING "ADA:BOOK"
          CD_relationships  STRING "works:makers"
        CDMR PAIR
          CD_entityNames    STRING "Person:Person"
          CD_recordNames    STRING "ADA:BOB"
          CD_relationships  STRING "followers:follows"
        CDMR PAIR
          CD_entityNames    STRING "Person:Person"
          CD_recordNames    STRING "ADA:BOB"
          CD_relationships  STRING "friends:friends"

        """)
  }

  @Test func `The order of a relationship has a separate field`() throws {
    let shelf = ObjectContent(
      entity: "Shelf", recordName: "SHELF", values: ["room": .string("Attic")],
      orders: ["works": ["FILM", "BOOK"], "keepers": []])
    #expect(
      try text([shelf]) == """
        CD_Shelf SHELF
          CD_entityName   STRING "Shelf"
          CD_room         STRING "Attic"
          PH_works_order  STRING "FILM\\nBOOK"

        """)
  }

  @Test func `Numbers that Apple's fields cannot hold have separate fields`() throws {
    let book = ObjectContent(
      entity: "Book", recordName: "BOOK",
      values: [
        "weight": .double(.nan), "rating": .float(.infinity), "price": .decimal(.nan),
        "printed": .date(Date(timeIntervalSince1970: .infinity)),
      ])
    #expect(
      try text([book]) == """
        CD_Work BOOK
          CD_entityName     STRING "Book"
          PH_price_exact    STRING "nan"
          PH_printed_exact  STRING "inf"
          PH_rating_exact   STRING "inf"
          PH_weight_exact   STRING "nan"

        """)
  }

  @Test func `Long values are assets, and short ones are inline again`() throws {
    try withTemporaryDirectory { folder in
      let border = 750 * 1_024
      var book = ObjectContent(
        entity: "Book", recordName: "BOOK",
        values: [
          "text": EveryFeatureModel.text("t", bytes: border),
          "cover": .data(Data(repeating: 0xFF, count: border + 1)),
        ])
      let record = try EveryFeatureModel.record(of: book, in: folder)
      #expect(
        RecordText.text(of: record) == """
          CD_Work BOOK
            CD_cover_ckAsset  ASSET 768001 bytes <\(String(repeating: "ff", count: 32))>…
            CD_entityName     STRING "Book"
            CD_text           STRING 768000 bytes "tttttttttttttttt"…

          """)
      // The text grows beyond the limit, and the cover shrinks.
      book.values["text"] = EveryFeatureModel.text("t", bytes: border + 1)
      book.values["cover"] = .data(Data([7]))
      let saved = try ServerRecords.copy(of: record)
      #expect(
        RecordText.text(
          of: try EveryFeatureModel.record(
            of: book, changed: ["cover", "text"], into: saved, in: folder))
            == """
            CD_Work BOOK
              CD_cover          BYTES <07>
              CD_cover_ckAsset  -
              CD_entityName     STRING "Book"
              CD_text           -
              CD_text_ckAsset   ASSET 768001 bytes "tttttttttttttttt"…

            """)
    }
  }

  @Test func `Large encrypted texts are assets too, and are never sealed as fields`() throws {
    try withTemporaryDirectory { folder in
      let book = ObjectContent(
        entity: "Book", recordName: "BOOK",
        values: ["secret": EveryFeatureModel.text("s", bytes: 768_001)])
      let record = try EveryFeatureModel.record(of: book, in: folder)
      #expect(
        RecordText.text(of: record) == """
          CD_Work BOOK
            CD_entityName      STRING "Book"
            CD_secret_ckAsset  ASSET 768001 bytes "ssssssssssssssss"…

          """)
    }
  }

  @Test func `External binary data is sent as a file, and read in either form`() throws {
    try withTemporaryDirectory { folder in
      let bytes = Data(repeating: UInt8(ascii: "e"), count: MappingLimits.externalBytes)
      let book = ObjectContent(entity: "Book", recordName: "BOOK", values: ["scan": .data(bytes)])
      let record = try EveryFeatureModel.record(of: book, in: folder)
      #expect(
        RecordText.text(of: record) == """
          CD_Work BOOK
            CD_entityName    STRING "Book"
            CD_scan_ckAsset  ASSET 102400 bytes "eeeeeeeeeeeeeeee"…

          """)
      #expect(try EveryFeatureModel.object(record).differences(from: book).isEmpty)
      // A program whose model does not allow external storage sends this form.
      let inline = CKRecord(
        recordType: "CD_Work",
        recordID: CKRecord.ID(recordName: "BOOK", zoneID: EveryFeatureModel.zone))
      inline["CD_entityName"] = "Book"
      inline["CD_scan"] = bytes
      #expect(try EveryFeatureModel.object(inline).content["scan"] == .data(bytes))
      #expect(try EveryFeatureModel.object(inline).differences(from: book).isEmpty)
    }
  }

  @Test func `Only changed properties are written, and those without a value are cleared`() throws {
    var book = EveryFeatureModel.book
    (book.values["title"], book.values["weight"], book.references["shelf"]) = (
      .string("New"), nil, nil
    )
    book.values["size.unit"] = nil
    let changed: Set = ["title", "weight", "shelf", "size", "makers", "selected"]
    let record = try EveryFeatureModel.record(
      of: book, changed: changed, into: try ServerRecords.empty(type: "CD_Work", name: "BOOK"))
    #expect(
      RecordText.text(of: record) == """
        CD_Work BOOK
          CD_shelf              -
          CD_size_height        DOUBLE 29.7
          CD_size_unit          -
          CD_size_unit_ckAsset  -
          CD_title              STRING "New"
          CD_title_ckAsset      -
          CD_weight             -
          PH_size_height_exact  -
          PH_weight_exact       -

        """)
  }

  @Test func `A plain value of an encrypted field is cleared before it is sealed`() throws {
    let record = CKRecord(
      recordType: "CD_Work",
      recordID: CKRecord.ID(recordName: "BOOK", zoneID: EveryFeatureModel.zone))
    record["CD_secret"] = "in plain"
    let book = ObjectContent(
      entity: "Book", recordName: "BOOK", values: ["secret": .string("sealed")])
    let text = RecordText.text(of: try EveryFeatureModel.record(of: book, into: record))
    #expect(
      text.contains("  CD_secret      -\n")
        && text.contains("  CD_secret      ENCRYPTED STRING \"sealed\"\n"))
  }

  private func text(_ contents: [ObjectContent]) throws -> String {
    try contents.map { RecordText.text(of: try EveryFeatureModel.record(of: $0)) }.joined()
  }
}
