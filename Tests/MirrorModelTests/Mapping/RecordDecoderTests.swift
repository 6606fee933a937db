import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

@Suite("Objects of records")
struct RecordDecoderTests {
  @Test func `A record of every type becomes its object again`() throws {
    let object = try EveryFeatureModel.object(
      try EveryFeatureModel.record(of: EveryFeatureModel.book))
    #expect(object.content == EveryFeatureModel.book)
    #expect(object.issues.isEmpty && object.unfetched.isEmpty)
    #expect(try object.differences(from: EveryFeatureModel.book).isEmpty)
  }

  /// The forms that Apple's documentation shows.
  @Test func `Records of Apple's container become objects and pairs`() throws {
    let record = record("CD_Person", "CD_Person_3A40B5B5-4CB8-4D9A-8DC1-6B4E3E5B2C11")
    record["CD_entityName"] = "Person"
    record["CD_name"] = "Ada"
    record["CD_boss"] = "CD_Person_0F7A57C5-B0F3-4B57-A9B6-1F2C5D7F2A60"
    record["CD_moveReceipt"] = Data([1])
    let object = try EveryFeatureModel.object(record)
    #expect(
      object.content
        == ObjectContent(
          entity: "Person", recordName: "CD_Person_3A40B5B5-4CB8-4D9A-8DC1-6B4E3E5B2C11",
          values: ["name": .string("Ada")],
          references: ["boss": "CD_Person_0F7A57C5-B0F3-4B57-A9B6-1F2C5D7F2A60"]))
    let makers = try #require(EveryFeatureModel.schema["Book"]?.joins["makers"])
    #expect(
      decoded(pair("Person:Work", "ADA:BOOK", "works:makers"))
        == makers.pair(of: "BOOK", with: "ADA"))
  }

  @Test(
    "Pairs that are reversed, name subentities, or use semicolons are read",
    arguments: [
      ("Work:Person", "BOOK:ADA", "makers:works"), ("Person:Film", "ADA:BOOK", "works:makers"),
      ("Person;Work", "ADA;BOOK", "works;makers"),
    ])
  func pairs(entities: String, records: String, relationships: String) throws {
    let makers = try #require(EveryFeatureModel.schema["Book"]?.joins["makers"])
    #expect(decoded(pair(entities, records, relationships)) == makers.pair(of: "BOOK", with: "ADA"))
  }

  @Test(
    "Pairs that join nothing are ignored",
    arguments: [
      ("Person:Work", "ADA:BOOK:FILM", "works:makers"), ("Person:Work", ":BOOK", "works:makers"),
      ("Person:Work", "ADA:BOOK", "works:works"), ("Person:Planet", "ADA:BOOK", "works:makers"),
      ("Person:Person", "ADA:BOB", "follows:follows"), ("Person:Work", "ADA", "works:makers"),
    ])
  func foreignPairs(entities: String, records: String, relationships: String) {
    #expect(decoded(pair(entities, records, relationships)) == nil)
  }

  @Test func `Records without an object are foreign, with a reason`() {
    func reason(_ record: CKRecord) -> ForeignReason? {
      if case .foreign(let reason) = RecordDecoder(
        schema: EveryFeatureModel.schema, expectsSealed: true
      )
      .decode(record) {
        reason
      } else {
        nil
      }
    }
    #expect(reason(record("Note", "N")) == .recordType("Note"))
    let later = record("CD_Work", "W")
    later["CD_entityName"] = "Opera"
    #expect(reason(later) == .entity("Opera", recordType: "CD_Work"))
    #expect(reason(record("CD_Work", "W")) == .abstractEntity("Work"))
    let moved = record("CD_Person", "W")
    moved["CD_entityName"] = "Book"
    #expect(reason(moved) == .entity("Book", recordType: "CD_Person"))
  }

  @Test func `Similar values of a client without Core Data become the model's values`() throws {
    let record = record("CD_Person", "ADA")
    record["CD_name"] = "Ada"
    record["CD_boss"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "BOB", zoneID: EveryFeatureModel.zone), action: .none)
    record["CD_passport"] = ""
    let person = try EveryFeatureModel.object(record)
    #expect(person.content.entity == "Person" && person.content.references == ["boss": "BOB"])
    let book = self.record("CD_Work", "BOOK")
    book["CD_entityName"] = "Book"
    book["CD_chapters"] = 3.0
    book["CD_weight"] = 3
    book["CD_isRead"] = 5
    book.encryptedValues["CD_secret"] = "sealed, too"
    book["CD_identifier"] = "00010203-0405-0607-0809-0a0b0c0d0e0f"
    book.encryptedValues["CD_title"] = "sealed"
    let object = try EveryFeatureModel.object(book)
    #expect(
      object.content.values == [
        "chapters": .integer(3), "weight": .double(3), "isRead": .boolean(true),
        "secret": .string("sealed, too"),
        "title": .string("sealed"),
        "identifier": .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
      ])
    #expect(object.issues.isEmpty)
    // The meaning is the same, so nothing is written on either side.
    #expect(try object.differences(from: object.content).isEmpty)
  }

  @Test func `A plain value of an encrypted attribute is not trusted if devices seal`() throws {
    let book = record("CD_Work", "BOOK")
    book["CD_entityName"] = "Book"
    book["CD_secret"] = "made up"
    book["CD_title"] = "Good"
    let object = try EveryFeatureModel.object(book)
    #expect(object.content.values == ["title": .string("Good")])
    #expect(
      object.issues.map(\.description) == [
        "CD_secret was not sealed by a device, though the model encrypts it."
      ])
    var local = EveryFeatureModel.book
    local.values["secret"] = .string("true")
    #expect(try !object.differences(from: local).contains("secret"))
    // A plain empty value is reported too, because it would remove the sealed one.
    book["CD_secret"] = ""
    #expect(try EveryFeatureModel.object(book).issues.count == 1)
    #expect(try EveryFeatureModel.object(book, expectsSealed: false).issues.isEmpty)
    book["CD_secret"] = "by the server"
    #expect(
      try EveryFeatureModel.object(book, expectsSealed: false).content.values["secret"]
        == .string("by the server"))
  }

  @Test func `A plain file of an encrypted attribute is not trusted if devices seal`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("asset")
      try Data("made up".utf8).write(to: file)
      let book = record("CD_Work", "BOOK")
      book["CD_entityName"] = "Book"
      book["CD_secret_ckAsset"] = CKAsset(fileURL: file)
      let plain = try EveryFeatureModel.object(book)
      #expect(plain.content.values["secret"] == nil && plain.issues.map(\.property) == ["secret"])
      #expect(
        try EveryFeatureModel.object(book, expectsSealed: false).content.values["secret"]
          == .string("made up"))
      book["CD_secret_ckAsset"] = CKAsset(sealing: file)
      #expect(try EveryFeatureModel.object(book).content.values["secret"] == .string("made up"))
    }
  }

  @Test func `Values of other types are reported and do not stop the rest`() throws {
    let record = record("CD_Work", "BOOK")
    record["CD_entityName"] = "Book"
    record["CD_chapters"] = 40_000
    record["CD_pages"] = 1.5
    record["CD_words"] = "many"
    record["CD_printed"] = 7
    record["CD_cover"] = "no data"
    record["CD_identifier"] = "no identifier"
    record["CD_price"] = 1e300
    record["CD_text_ckAsset"] = "no asset"
    record["CD_shelf"] = 9
    record["CD_title"] = "Good"
    let object = try EveryFeatureModel.object(record)
    #expect(
      object.issues.map(\.description).sorted() == [
        "CD_chapters is 40000, which is not an integer of 16 bits.",
        "CD_cover is not data, but a text.",
        "CD_identifier is “no identifier”, which is not a UUID.",
        "CD_pages is 1.5, which is not an integer of 32 bits.",
        "CD_price is 1e+300, which is beyond decimals.", "CD_printed is not a date, but a number.",
        "CD_shelf is not the name of a record but a number.",
        "CD_text_ckAsset is not an asset but a text.",
        "CD_words is not a number, but a text.",
      ])
    #expect(object.content.values == ["title": .string("Good")])
    // An unusable value is no difference, so the local value stays.
    var local = EveryFeatureModel.book
    local.values["title"] = .string("Old")
    let differing: Set = [
      "address", "isRead", "rating", "scan", "secret", "size", "tags", "title", "weight",
    ]
    #expect(try object.differences(from: local) == differing)
  }

  @Test func `A value is read from its asset if its own field is empty or missing`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("asset")
      try Data("from the asset".utf8).write(to: file)
      let record = record("CD_Work", "BOOK")
      record["CD_entityName"] = "Book"
      (record["CD_text"], record["CD_text_ckAsset"]) = ("", CKAsset(fileURL: file))
      record["CD_cover_ckAsset"] = CKAsset(fileURL: file)
      (record["CD_title"], record["CD_title_ckAsset"]) = ("inline", CKAsset(fileURL: file))
      record["CD_size_unit"] = ""
      let object = try EveryFeatureModel.object(record)
      #expect(
        object.content.values == [
          "text": .string("from the asset"), "cover": .file(BorrowedFile(url: file, length: 14)),
          "title": .string("inline"),
          "size.unit": .string(""),
        ])
      var local = object.content
      local.values["cover"] = .data(Data("from the asset".utf8))
      #expect(try object.differences(from: local).isEmpty)
      local.values["cover"] = .data(Data("from the other".utf8))
      #expect(try object.differences(from: local) == ["cover"])
    }
  }

  @Test func `An asset that is not text, or whose file is missing, is an issue`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("asset")
      try Data([0xFF, 0xFE]).write(to: file)
      let record = record("CD_Work", "BOOK")
      record["CD_entityName"] = "Book"
      record["CD_text_ckAsset"] = CKAsset(fileURL: file)
      record["CD_cover_ckAsset"] = CKAsset(fileURL: folder.appendingPathComponent("nowhere"))
      let object = try EveryFeatureModel.object(record)
      #expect(object.issues.map(\.property).sorted() == ["cover", "text"])
      #expect(
        object.issues.contains { $0.reason == "is an asset that is not text in UTF-8" })
    }
  }

  @Test func `Fields of a later version are ignored and kept`() throws {
    let record = record("CD_Work", "FILM")
    record["CD_entityName"] = "Film"
    record["CD_minutes"] = 100
    record["CD_subtitles"] = "yes"
    record["CD_text"] = "A field of Book, which has the same type."
    record["PH_future"] = 1
    record["other"] = "None of ours."
    let object = try EveryFeatureModel.object(record)
    #expect(object.issues.isEmpty && object.content.values == ["minutes": .integer(100)])
    var changed = object.content
    changed.values["minutes"] = .integer(95)
    let sent = try EveryFeatureModel.record(of: changed, changed: ["minutes"], into: record)
    #expect(sent["CD_minutes"] == 95)
    #expect(sent["CD_subtitles"] == "yes" && sent["PH_future"] == 1)
  }

  @Test func `A required attribute that the record lacks has its default`() throws {
    let record = record("CD_Work", "FILM")
    record["CD_entityName"] = "Film"
    #expect(try EveryFeatureModel.object(record).content.values == ["minutes": .integer(90)])
  }

  private func record(_ type: String, _ name: String) -> CKRecord {
    CKRecord(
      recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: EveryFeatureModel.zone))
  }

  private func pair(_ entities: String, _ records: String, _ relationships: String) -> CKRecord {
    let record = record("CDMR", "PAIR")
    record["CD_entityNames"] = entities
    record["CD_recordNames"] = records
    record["CD_relationships"] = relationships
    return record
  }

  private func decoded(_ record: CKRecord) -> JoinPair? {
    if case .pair(let pair) = RecordDecoder(schema: EveryFeatureModel.schema, expectsSealed: true)
      .decode(
        record)
    {
      pair
    } else {
      nil
    }
  }
}
