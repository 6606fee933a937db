import CloudKitClient
import Foundation
import MirrorModel
import MirroringTestSupport
import Testing

/// Apple's fields hold some values less exactly than stores do; additional fields hold the rest.
@Suite("Values that Apple's fields cannot hold exactly")
struct LossyValueTests {
  private static let exact: [String: MirrorValue] = [
    "price": .decimal(Decimal(string: "0.10000000000000000000000000000000001") ?? 0),
    "printed": .date(Date(timeIntervalSinceReferenceDate: 1.000_123_456)),
    "rating": .float(0.1),
    "weight": .double(.nan),
  ]

  @Test func `Records have the nearest value and, in a second field, the exact one`() throws {
    let book = ObjectContent(
      entity: "Book", recordName: "BOOK",
      values: Self.exact.merging(["printed": .date(Date(timeIntervalSince1970: 1.000_6))]) { $1 })
    #expect(
      RecordText.text(of: try EveryFeatureModel.record(of: book)) == """
        CD_Work BOOK
          CD_entityName     STRING "Book"
          CD_price          DOUBLE 0.1
          CD_printed        TIMESTAMP 1001
          CD_rating         DOUBLE 0.10000000149011612
          PH_price_exact    STRING "0.10000000000000000000000000000000001"
          PH_printed_exact  STRING "-978307198.9994"
          PH_weight_exact   STRING "nan"

        """)
  }

  private static func book(_ values: [String: MirrorValue]) -> ObjectContent {
    ObjectContent(entity: "Book", recordName: "BOOK", values: values)
  }

  @Test func `Exact values arrive`() throws {
    for number in [Double.infinity, -.infinity] {
      let book = Self.book(
        Self.exact.merging(["weight": .double(number), "rating": .float(Float(number))]) { $1 })
      #expect(try EveryFeatureModel.object(try EveryFeatureModel.record(of: book)).content == book)
    }
    let local = Self.book(Self.exact)
    let object = try EveryFeatureModel.object(try EveryFeatureModel.record(of: local))
    #expect(try object.differences(from: local).isEmpty)
    guard case .double(let weight) = object.content["weight"] else {
      Issue.record("NaN did not arrive.")
      return
    }
    #expect(weight.isNaN)
  }

  @Test func `A local value stays if the record has its encoding and no exact value`() throws {
    let values = Self.exact.filter { $0.key != "weight" }
    let local = Self.book(values)
    let record = try EveryFeatureModel.record(of: local)
    for key in values.keys { record["PH_\(key)_exact"] = nil as String? }
    let object = try EveryFeatureModel.object(record)
    #expect(object.content != local)
    #expect(try object.differences(from: local).isEmpty)
    #expect(try object.merged(over: local).content == local)
  }

  @Test func `Values whose difference Apple's fields cannot hold still differ`() throws {
    let local = Self.book(Self.exact)
    var other = local
    other.values["printed"] = .date(Date(timeIntervalSinceReferenceDate: 1.000_2))
    other.values["weight"] = .null
    let object = try EveryFeatureModel.object(try EveryFeatureModel.record(of: other))
    #expect(try object.differences(from: local) == ["printed", "weight"])
    let entity = try #require(EveryFeatureModel.schema["Book"])
    let digests = [local, other].map { entity.digests(of: ["printed", "weight", "price"], in: $0) }
    #expect(
      digests[0]["printed"] != digests[1]["printed"] && digests[0]["weight"] != digests[1]["weight"]
    )
    #expect(digests[0]["price"] == digests[1]["price"])
  }

  /// Programs that do not know the additional fields write only Apple's.
  @Test func `An exact value is ignored if another program has written Apple's field since`() throws
  {
    let record = try EveryFeatureModel.record(of: Self.book(Self.exact))
    record["CD_printed"] = Date(timeIntervalSinceReferenceDate: 5)
    record["CD_price"] = 7.0
    record["CD_weight"] = 2.0
    let content = try EveryFeatureModel.object(record).content
    #expect(content["printed"] == .date(Date(timeIntervalSinceReferenceDate: 5)))
    #expect(content["price"] == .decimal(7) && content["weight"] == .double(2))
  }

  @Test func `Exact values are cleared when they are not needed any more`() throws {
    let record = try EveryFeatureModel.record(of: Self.book(Self.exact))
    let fields = ["PH_price_exact", "PH_printed_exact", "PH_weight_exact"]
    for field in fields { #expect(record[field] as String? != nil) }
    let values: [String: MirrorValue] = [
      "price": .decimal(1), "printed": .date(Date(timeIntervalSince1970: 0)),
    ]
    let inexact = try EveryFeatureModel.record(
      of: Self.book(values), changed: ["price", "printed", "weight"],
      into: ServerRecords.copy(of: record))
    for field in fields { #expect(inexact[field] as String? == nil) }
    let finite = try EveryFeatureModel.record(
      of: Self.book(["weight": .double(1)]), changed: ["weight"],
      into: ServerRecords.copy(of: record))
    #expect(finite["PH_weight_exact"] as String? == nil)
    #expect(finite["PH_price_exact"] as String? != nil)
  }

  @Test func `Exact values are removed when the record has another value`() throws {
    let local = ObjectContent(entity: "Book", recordName: "BOOK", values: Self.exact)
    let other: [String: MirrorValue] = [
      "price": .decimal(Decimal(string: "0.1000001") ?? 0),
      "printed": .date(Date(timeIntervalSince1970: 978_307_201.001)),
      "rating": .float(0.2), "weight": .double(1),
    ]
    let record = try EveryFeatureModel.record(
      of: ObjectContent(entity: "Book", recordName: "BOOK", values: other))
    let merged = try EveryFeatureModel.object(record).merged(over: local)
    #expect(
      merged.changed == ["price", "printed", "rating", "weight"] && merged.content.values == other)
  }

  /// The other program writes no exact values, and a double for a float.
  @Test func `The same value in another program's form is not a difference`() throws {
    let record = try EveryFeatureModel.record(of: ObjectContent(entity: "Book", recordName: "BOOK"))
    record["CD_rating"] = 0.1
    record["CD_price"] = 0.1
    record["CD_printed"] = Date(timeIntervalSinceReferenceDate: 1)
    let object = try EveryFeatureModel.object(record)
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
