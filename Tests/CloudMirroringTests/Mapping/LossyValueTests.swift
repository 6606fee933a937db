import CloudKitClient
import CloudMirroring
import Foundation
import Testing

/// Records hold some values less exactly than stores do.
@Suite("Values that records cannot hold exactly")
struct LossyValueTests {
  private static let exact: [String: MirrorValue] = [
    "price": .decimal(Decimal(string: "0.10000000000000000000000000000000001") ?? 0),
    "printed": .date(Date(timeIntervalSinceReferenceDate: 1.000_123_456)),
    "rating": .float(0.1),
    "weight": .double(.nan),
  ]

  @Test func `Are in records as what is nearest`() throws {
    let book = ObjectContent(
      entity: "Book", recordName: "BOOK",
      values: Self.exact.merging(["printed": .date(Date(timeIntervalSince1970: 1.000_6))]) { $1 })
    #expect(
      RecordText.text(of: try Shelf.record(of: book)) == """
        CD_Work BOOK
          CD_entityName  STRING "Book"
          CD_price       DOUBLE 0.1
          CD_printed     TIMESTAMP 1001
          CD_rating      DOUBLE 0.10000000149011612

        """)
  }

  @Test func `Keep their local bits while the record has what they encode to`() throws {
    let local = ObjectContent(entity: "Book", recordName: "BOOK", values: Self.exact)
    let object = try Shelf.object(try Shelf.record(of: local))
    #expect(object.content != local)
    #expect(try object.differences(from: local).isEmpty)
    #expect(try object.merged(over: local).content == local)
  }

  @Test func `Go when the record has anything else`() throws {
    let local = ObjectContent(entity: "Book", recordName: "BOOK", values: Self.exact)
    let other: [String: MirrorValue] = [
      "price": .decimal(Decimal(string: "0.1000001") ?? 0),
      "printed": .date(Date(timeIntervalSince1970: 978_307_201.001)),
      "rating": .float(0.2), "weight": .double(1),
    ]
    let record = try Shelf.record(of: ObjectContent(entity: "Book", recordName: "BOOK", values: other))
    let merged = try Shelf.object(record).merged(over: local)
    #expect(merged.changed == ["price", "printed", "rating", "weight"] && merged.content.values == other)
  }

  /// A value that another program wrote in another form means the same.
  @Test func `Forms of other programs are no differences`() throws {
    let record = try Shelf.record(of: ObjectContent(entity: "Book", recordName: "BOOK"))
    record["CD_rating"] = 0.1
    record["CD_price"] = 0.1
    record["CD_printed"] = Date(timeIntervalSinceReferenceDate: 1.000_4)
    let object = try Shelf.object(record)
    #expect(object.content["price"] == .decimal(Decimal(string: "0.1") ?? 0))
    #expect(
      try object.differences(
        from: ObjectContent(
          entity: "Book", recordName: "BOOK",
          values: [
            "rating": .float(0.1), "price": .decimal(Decimal(string: "0.1") ?? 0),
            "printed": .date(Date(timeIntervalSinceReferenceDate: 1.000_3)),
          ])
      ).isEmpty)
  }
}
