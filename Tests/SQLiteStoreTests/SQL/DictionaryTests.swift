import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression

@Suite struct `Dictionary fetches` {
  let store: LibraryStore
  private let anna, ben: LibraryObject

  init() throws {
    store = try LibraryStore()
    anna = try store.add(
      "Author", ["name": "Anna", "rating": 4.5, "born": Date(timeIntervalSinceReferenceDate: 9)])
    ben = try store.add("Author", ["name": "Ben"])
    let values: [(String, [String: Any])] = [
      ("Book", ["title": "A", "code": 1, "pages": 100, "price": Decimal(string: "10.11") ?? 0]),
      ("Novel", ["title": "B", "code": 2, "pages": 200, "price": Decimal(5), "genre": "crime"]),
      ("Film", ["title": "A", "code": 3, "minutes": 90, "seen": true]),
      ("Item", ["title": "A", "code": 4]),
    ]
    for (index, (entity, values)) in values.enumerated() {
      let item = try store.add(entity, values)
      if index < 3 { try store.relate(item, "owner", index == 0 ? anna : ben) }
    }
    try store.relate(ben, "mentor", anna)
    _ = try store.add(
      "Sample",
      [
        "flag": true, "small": 1, "medium": 2, "large": 3, "single": 1.5, "double": 2.5,
        "decimal": Decimal(4),
        "date": Date(timeIntervalSinceReferenceDate: 1), "text": "t",
        "url": URL(fileURLWithPath: "/u"),
        "uuid": try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001")),
        "data": Data([1]),
        "file": Data([2]), "shape": Data([3]), "place": ["latitude": 1.0, "name": "here"],
      ])
    _ = try store.add("Sample")
    try store.write()
  }

  private func fetch(
    _ entity: String, _ properties: [Any]?, groupBy: [Any]? = nil, having: NSPredicate? = nil,
    sort: [NSSortDescriptor] = [], distinct: Bool = false
  ) throws -> RowFetch {
    var fetch = try store.fetch(entity)
    fetch.specification.resultType = .dictionaryResultType
    fetch.specification.propertiesToFetch = properties
    fetch.specification.propertiesToGroupBy = groupBy
    fetch.specification.havingPredicate = having
    fetch.specification.sortDescriptors = sort
    fetch.specification.returnsDistinctResults = distinct
    return fetch
  }

  private func column(
    _ name: String, _ expression: NSExpression, _ type: NSAttributeType = .undefinedAttributeType
  ) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = name
    description.expression = expression
    description.expressionResultType = type
    return description
  }

  private func column(
    _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
  ) -> NSExpressionDescription {
    column(name, NSExpression(format: format), type)
  }

  private func values(_ fetch: RowFetch) throws -> [NSDictionary] {
    try store.dictionaries(fetch).map { $0 as NSDictionary }
  }

  // MARK: Properties

  @Test func `A dictionary has the named properties and omits missing values`() throws {
    let description = try #require(
      store.schema.entity(named: "Author")?.entity.attributesByName["rating"])
    #expect(
      try values(fetch("Author", ["name", description])) == [
        ["name": "Anna", "rating": 4.5] as NSDictionary, ["name": "Ben"] as NSDictionary,
      ])
  }

  @Test func `Values have their attributes' types`() throws {
    let sample = try #require(store.dictionaries(fetch("Sample", nil)).first)
    #expect(sample["flag"] as? Bool == true)
    #expect(sample["small"] as? Int16 == 1)
    #expect(sample["medium"] as? Int32 == 2)
    #expect(sample["large"] as? Int64 == 3)
    #expect(sample["single"] as? Float == 1.5)
    #expect(sample["double"] as? Double == 2.5)
    #expect(sample["decimal"] as? NSDecimalNumber == 4)
    #expect(sample["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
    #expect(sample["text"] as? String == "t")
    #expect(sample["url"] as? URL == URL(fileURLWithPath: "/u"))
    #expect(sample["uuid"] as? UUID == UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
    #expect(sample["data"] as? Data == Data([1]))
    #expect(sample["file"] as? Data == Data([2]))
    #expect((sample["shape"] as? EncodedValue)?.data == Data([3]))
    #expect(sample["place"] as? NSDictionary == ["latitude": 1.0, "name": "here"])
    #expect(try store.dictionaries(fetch("Sample", nil)).last?.isEmpty == true)
  }

  @Test func `Key paths give related attributes and composite elements`()
    throws
  {
    #expect(
      try values(fetch("Item", ["title", "owner.name", "owner.mentor.name"])) == [
        ["title": "A", "owner.name": "Anna"],
        ["title": "B", "owner.name": "Ben", "owner.mentor.name": "Anna"],
        ["title": "A", "owner.name": "Ben", "owner.mentor.name": "Anna"], ["title": "A"],
      ])
    #expect(try values(fetch("Sample", ["place.name"])).first == ["place.name": "here"])
  }

  @Test func `A dictionary has object identifiers`() throws {
    let dictionaries = try store.dictionaries(
      fetch(
        "Item",
        [
          "owner", column("id", .expressionForEvaluatedObject(), .objectIDAttributeType),
          "objectID",
        ]))
    let owners = dictionaries.map { $0["owner"] as? NSManagedObjectID }
    #expect(owners == [anna.identified, ben.identified, ben.identified, nil])
    let items = store.objects(of: "Item").map(\.identified)
    for key in ["id", "objectID"] {
      let identifiers = dictionaries.map { $0[key] as? NSManagedObjectID }
      #expect(identifiers == items)
      #expect(identifiers.map { $0?.entity.name } == ["Book", "Novel", "Film", "Item"])
    }
    let book = try store.dictionaries(fetch("Book", ["prequel"]))
    #expect(book.count == 2)
  }

  @Test func `Without named properties, all stored attributes are returned`() throws {
    for properties in [nil, []] as [[Any]?] {
      let keys = try store.dictionaries(fetch("Author", properties)).map { $0.keys.sorted() }
      #expect(keys == [["born", "name", "rating"], ["name"]])
    }
    #expect(try store.dictionaries(fetch("Item", nil)).first?.keys.sorted() == ["code", "title"])
  }

  // MARK: Expressions

  @Test func `Expressions are computed for each row`() throws {
    let rows = try values(
      fetch(
        "Book",
        [
          column("total", "price * pages"), column("half", "pages / 2", .doubleAttributeType),
          column("shout", "uppercase:(title)"), column("owner", "owner.name"),
          column("items", "owner.works.@count", .integer32AttributeType),
          column("one", NSExpression(forConstantValue: 1)),
        ]))
    #expect(rows[0]["total"] as? NSDecimalNumber == 1011)
    #expect(rows[1]["total"] as? NSDecimalNumber == 1000)
    #expect(rows.map { $0["half"] as? Double } == [50, 100])
    #expect(rows.map { $0["shout"] as? String } == ["A", "B"])
    #expect(rows.map { $0["owner"] as? String } == ["Anna", "Ben"])
    #expect(rows.map { $0["items"] as? Int } == [1, 2])
    #expect(rows.map { $0["one"] as? Int } == [1, 1])
  }

  @Test func `Expressions are computed over all rows`() throws {
    let rows = try values(
      fetch(
        "Item",
        [
          column("count", "count:(SELF)"), column("titles", "count:(distinct:(title))"),
          column("sum", "sum:(code)"),
          column("least", "min:(title)"), column("last", "max:(code)", .integer64AttributeType),
          column("average", "average:(code)"), column("sum2", "@sum.code"),
          column("count2", "@count"),
          column("weighted", "sum:(code * 2)"), column("span", "max:(code) - min:(code)"),
        ]))
    #expect(
      rows == [
        [
          "count": 4, "titles": 2, "sum": 10, "least": "A", "last": 4, "average": 2.5, "sum2": 10,
          "count2": 4,
          "weighted": 20, "span": 3,
        ]
      ])
  }

  @Test func `The sum of no rows is 0, and they have no maximum`() throws {
    var fetch = try fetch(
      "Item",
      [column("sum", "sum:(code)"), column("last", "max:(code)"), column("n", "count:(SELF)")])
    fetch.specification.predicate = NSPredicate(format: "code > 100")
    #expect(try values(fetch) == [["sum": 0, "n": 0]])
  }

  @Test func `A sum of whole decimals beyond 64 bits is a real`() throws {
    try store.connection.execute("UPDATE ZITEM SET ZPRICE = 9000000000000000000")
    let rows = try values(fetch("Book", [column("total", "sum:(price)")]))
    #expect((rows[0]["total"] as? NSNumber)?.doubleValue == 1.8e19)
    #expect(try store.keys("Author", "works.@sum.price > 1e19") == [ben.key])
  }

  @Test func `A sum of fractions is compensated as in SQLite`() throws {
    let sum = try store.connection.value(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
      SELECT ParhelionSum(0.1) FROM n
      """)
    #expect(sum == StoredValue.real(1))
    let infinite = try store.connection.value("SELECT ParhelionSum(9e999)")
    #expect(infinite == StoredValue.real(.infinity))
  }

  // MARK: Groups

  @Test func `Expressions are computed over groups that a condition selects`() throws {
    let total = column("total", "sum:(code)", .integer64AttributeType)
    let sort = [NSSortDescriptor(key: "total", ascending: false)]
    #expect(
      try values(fetch("Item", ["title", total], groupBy: ["title"], sort: sort)) == [
        ["title": "A", "total": 8], ["title": "B", "total": 2],
      ])
    for having in [
      "total > 2", "$total > 2", "sum:(code) > 2", "@sum.code > 2",
      "title == 'A' AND count:(SELF) > 1",
    ] {
      let fetch = try fetch(
        "Item", ["title", total], groupBy: ["title"], having: NSPredicate(format: having))
      #expect(try values(fetch) == [["title": "A", "total": 8]], "\(having)")
    }
    let variable = NSPredicate(format: "%@ > 1", NSExpression(forVariable: "count"))
    let counted = try fetch(
      "Item", ["title", column("count", "count:(code)")], groupBy: ["title"], having: variable)
    #expect(try values(counted) == [["title": "A", "count": 3]])
  }

  @Test func `Groups are formed by related objects and by expressions`() throws {
    #expect(
      try values(
        fetch(
          "Item", ["owner.name", column("n", "count:(SELF)")], groupBy: ["owner.name"],
          sort: [NSSortDescriptor(key: "owner.name", ascending: true)]))
        == [["n": 1], ["owner.name": "Anna", "n": 1], ["owner.name": "Ben", "n": 2]])
    let parity = column("parity", "modulus:by:(code, 2)")
    #expect(
      try values(
        fetch(
          "Item", [parity, column("n", "count:(SELF)")], groupBy: [parity],
          sort: [NSSortDescriptor(key: "parity", ascending: true)]))
        == [["parity": 0, "n": 2], ["parity": 1, "n": 2]])
  }

  @Test func `Expressions are computed over the members of a group's rows`() throws {
    let columns = [
      column("works", "works.@count"), column("named", "count:(works.title)"),
      column("codes", "works.@sum.code"),
      column("last", "max:(works.code)"), column("mean", "works.@avg.code"), column("one", "1"),
    ]
    let sort = [NSSortDescriptor(key: "name", ascending: true)]
    let groups = try fetch("Author", ["name"] + columns, groupBy: ["name"], sort: sort)
    #expect(
      try values(groups) == [
        ["name": "Anna", "works": 1, "named": 1, "codes": 1, "last": 1, "mean": 1.0, "one": 1],
        ["name": "Ben", "works": 2, "named": 2, "codes": 5, "last": 3, "mean": 2.5, "one": 1],
      ])
    let all = try fetch(
      "Tag", [column("label", "label"), column("n", "items.@count")], groupBy: ["label"])
    #expect(try values(all) == [])
    let having = try fetch(
      "Author", ["name"], groupBy: ["name"], having: NSPredicate(format: "works.@count >= 2"),
      sort: sort)
    #expect(try values(having) == [["name": "Ben"]])
    let parity = column("parity", "modulus:by:(works.@count, 2)")
    let byCount = try fetch(
      "Author", [parity, column("n", "count:(SELF)")], groupBy: [parity],
      sort: [NSSortDescriptor(key: "n", ascending: true)])
    #expect(try values(byCount) == [["parity": 0, "n": 1], ["parity": 1, "n": 1]])
  }

  @Test func `A missing expression has no entry`() throws {
    let nothing = NSExpressionDescription()
    nothing.name = "last"
    #expect(try values(fetch("Author", [nothing])) == [[:], [:]])
    #expect(
      try values(fetch("Author", ["name", nothing], groupBy: ["name"])) == [
        ["name": "Anna"], ["name": "Ben"],
      ])
  }

  @Test func `Equal dictionaries are returned once on request`() throws {
    let sort = [NSSortDescriptor(key: "title", ascending: false)]
    let distinct = try fetch("Item", ["title"], sort: sort, distinct: true)
    #expect(try values(distinct) == [["title": "B"], ["title": "A"]])
    var count = try store.connection.prepare(store.translator.count(distinct))
    #expect(try count.step() && count.row.int64(at: 0) == 2)
  }

  @Test func `Limit and offset apply`() throws {
    var fetch = try fetch("Item", ["code"])
    fetch.specification.fetchLimit = 2
    fetch.specification.fetchOffset = 1
    #expect(try values(fetch) == [["code": 2], ["code": 3]])
  }

  // MARK: Refusals

  private func message(_ fetch: RowFetch) throws -> String {
    try #require(throws: StoreError.self) { try store.translator.dictionaries(fetch) }.message
  }

  @Test func `An impossible property is named`() throws {
    #expect(
      try message(fetch("Author", ["nome"])).contains("keypath nome not found in entity Author"))
    #expect(
      try message(fetch("Author", ["works"])).contains(
        "Invalid to many relationship in setPropertiesToFetch: (works)"))
    #expect(
      try message(fetch("Item", ["shelf"])).contains("keypath shelf not found in entity Item"))
    #expect(try message(fetch("Item", [5])).contains("Invalid property 5"))
    #expect(
      try message(fetch("Item", [column("x", "sum:(title)")])).contains(
        "Unsupported function expression sum:"))
    #expect(try message(fetch("Item", [column("x", "median:(code)")])).contains("median:"))
    #expect(
      try message(fetch("Item", [column("x", "title", .UUIDAttributeType)])).contains(
        "no value of its expressionResultType"))
  }

  @Test func `Properties missing from the grouping are named`() throws {
    let total = column("total", "sum:(code)")
    let missing = try message(fetch("Item", ["title", "subtitle", total], groupBy: ["title"]))
    #expect(missing.contains("subtitle is not in the GROUP BY"))
    #expect(try message(fetch("Item", ["total", total], groupBy: ["total"])).contains("total"))
    #expect(
      try message(fetch("Item", ["title"], having: NSPredicate(format: "title == 'x'")))
        .contains("havingPredicate without propertiesToGroupBy"))
    let objects = try #require(throws: StoreError.self) {
      try store.translator.keys(fetch("Item", ["title"], groupBy: ["title"]))
    }
    #expect(objects.message.contains("GROUP BY requires NSDictionaryResultType"))
  }
}
