import CloudRecords
import CloudSchema
import Testing

@Suite struct `Checks of queries` {
  private var book: RecordTypeDefinition {
    get throws { try Schema(text: libraryText).type(queried: "Book", in: .production) }
  }

  private func type(_ items: String) throws -> RecordTypeDefinition {
    try schema(items).type(queried: "T", in: .development)
  }

  private func rejection(_ items: String, _ comparator: FilterComparator) throws -> String? {
    try cloudError { _ = try type(items).checkFilter(on: .field("f"), by: comparator) }?.reason
  }

  @Test func `A query needs an existing record type`() throws {
    let unknown = try cloudError { _ = try Schema.initial.type(queried: "Book", in: .development) }
    #expect(unknown?.code == .notFound)
    #expect(unknown?.reason.hasPrefix("Did not find record type: Book.") == true)
    #expect(unknown?.extension == nil)
    let undeployed = try cloudError {
      _ = try Schema.initial.type(queried: "Book", in: .production)
    }
    #expect(undeployed?.extension == .schemaNotDeployed)
    #expect(try Schema.initial.type(queried: "cloudkit.share", in: .production).fieldCount == 0)
  }

  @Test func `A query needs an existing field`() throws {
    let error = try cloudError { _ = try book.checkFilter(on: .field("isbn"), by: .equals) }
    #expect(error?.code == .badRequest)
    #expect(
      error?.reason.hasPrefix(
        "Did not find field: 'isbn' in type: 'Book'. Its fields are blob, branch,") == true)
    #expect(throws: CloudError.self) { try book.checkSort(by: .system("title")) }
  }

  @Test func `System fields have two spellings, and a type's own fields precede them`() throws {
    for name in [
      QueriedName.system("recordName"), .system("___recordID"), .field("recordName"),
      .field("___recordID"),
    ] {
      let field = try book.checkFilter(on: name, by: .in)
      #expect(field.source == .system(.recordIdentifier))
      #expect(field.datatype == .plain(.reference))
      #expect(field.name == "recordName")
    }
    let own = try type("recordName STRING QUERYABLE, \"___recordID\" REFERENCE QUERYABLE")
    #expect(try own.field(queried: .field("recordName")).source == .defined("recordName"))
    #expect(try own.field(queried: .system("recordName")).source == .system(.recordIdentifier))
    let share = try Schema.initial.type(queried: "cloudkit.share", in: .development)
    #expect(try share.field(queried: .field("cloudkit.title")).datatype == .plain(.string))
  }

  /// Comparators, a datatype, an index that suffices for it, and a datatype that they reject.
  private static let needs: [([FilterComparator], String, String, String)] = [
    ([.equals, .notEquals, .in, .notIn], "INT64", "QUERYABLE", "ASSET"),
    ([.equals, .notEquals, .in, .notIn], "LIST<STRING>", "QUERYABLE", "ENCRYPTED STRING"),
    (
      [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals], "TIMESTAMP", "SORTABLE",
      "LIST<INT64>"
    ),
    (
      [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals], "NUMBER", "SORTABLE",
      "LOCATION"
    ),
    ([.near], "LOCATION", "QUERYABLE", "DOUBLE"),
    ([.containsAllTokens, .containsAnyTokens], "STRING", "SEARCHABLE", "INT64"),
    ([.containsAllTokens, .containsAnyTokens], "LIST<STRING>", "SEARCHABLE", "LIST<INT64>"),
    (
      [
        .listContains, .notListContains, .listContainsAll, .notListContainsAll, .listContainsAny,
        .notListContainsAny,
      ], "LIST<REFERENCE>", "QUERYABLE", "REFERENCE"
    ),
    ([.beginsWith, .notBeginsWith], "STRING", "QUERYABLE", "BYTES"),
    ([.beginsWith, .notBeginsWith], "STRING", "SORTABLE", "LIST<STRING>"),
    ([.listMemberBeginsWith, .notListMemberBeginsWith], "LIST<STRING>", "QUERYABLE", "STRING"),
  ]

  @Test func `Every comparator is checked`() {
    #expect(Set(Self.needs.flatMap(\.0)) == Set(FilterComparator.allCases))
  }

  @Test(arguments: needs)
  func `A comparison needs an index and comparable values`(
    comparators: [FilterComparator], datatype: String, index: String, other: String
  ) throws {
    for comparator in comparators {
      #expect(try rejection("f \(datatype) \(index)", comparator) == nil)
      let unmarked = try #require(try rejection("f \(datatype)", comparator))
      #expect(unmarked.hasPrefix("Field 'f' is not marked "), "\(unmarked)")
      let incomparable = try #require(try rejection("f \(other)", comparator))
      #expect(incomparable.hasPrefix("Field 'f' has a value type of "), "\(incomparable)")
      #expect(
        incomparable.contains(" and cannot be queried using filter type \(comparator.rawValue). "))
    }
  }

  @Test func `A rejected query has Apple's message and a remedy`() throws {
    #expect(
      try rejection("f ENCRYPTED STRING", .equals)
        == "Field 'f' has a value type of ENCRYPTED_STRING and cannot be queried using filter type EQUALS. "
        + "The server cannot read encrypted values: filter by another field.")
    #expect(
      try rejection("f STRING SEARCHABLE", .equals)
        == "Field 'f' is not marked queryable. Write f STRING QUERYABLE SEARCHABLE for record type 'T' in the schema, "
        + "and import it into development; for production, deploy it.")
    #expect(
      try rejection("f STRING QUERYABLE", .lessThan)?
        .hasPrefix("Field 'f' is not marked sortable. ") == true)
    #expect(
      try rejection("f STRING", .containsAllTokens)?
        .hasPrefix("Field 'f' is not marked searchable. ") == true)
  }

  @Test func `A query without filters needs queryable record names`() throws {
    try book.checkUnfiltered()
    let error = try cloudError { try type("f STRING QUERYABLE").checkUnfiltered() }
    #expect(
      error?.reason.hasPrefix(
        "Field 'recordName' is not marked queryable. Write \"___recordID\" REFERENCE QUERYABLE for record type 'T'"
      )
        == true)
  }

  @Test func `A query sorts by sortable and by encrypted fields`() throws {
    #expect(try book.checkSort(by: .field("title")).indexes.contains(.sortable))
    #expect(try book.checkSort(by: .system("modifiedTimestamp")).name == "modifiedTimestamp")
    #expect(try book.checkSort(by: .field("privateNote")).datatype == .encrypted(.string))
    let unmarked = try cloudError { _ = try book.checkSort(by: .system("createdTimestamp")) }
    #expect(
      unmarked?.reason.hasPrefix(
        "Field 'createdTimestamp' is not marked sortable. Write \"___createTime\"") == true)
    let impossible = try cloudError { _ = try book.checkSort(by: .field("tags")) }
    #expect(
      impossible?.reason
        == "Field 'tags' is not marked sortable. A field of type LIST<STRING> cannot be.")
  }

  @Test func `A text search covers all searchable fields`() throws {
    #expect(try book.checkSearch().map(\.name) == ["title"])
    let error = try cloudError { _ = try type("f STRING QUERYABLE").checkSearch() }
    #expect(
      error?.reason.hasPrefix("No field of type 'T' is marked searchable. Add SEARCHABLE") == true)
  }

  @Test func `Queries use what development has learned`() throws {
    var schema = Schema.initial
    let fields = [
      WrittenField(name: "title", type: .named(.string)),
      WrittenField(name: "tags", type: .named(.stringList)),
      WrittenField(name: "place", type: .named(.location)),
      WrittenField(name: "count", type: .inferred(.int64)),
    ]
    let record = WrittenRecord(recordType: "Note", fields: fields)
    schema.learn(
      try schema.check(record, in: SaveContext(environment: .development, database: .private)))
    let note = try schema.type(queried: "Note", in: .development)
    try note.checkUnfiltered()
    for (name, comparator) in [
      ("title", FilterComparator.beginsWith), ("title", .containsAllTokens),
      ("tags", .listContains), ("place", .near),
      ("count", .greaterThan), ("createdTimestamp", .greaterThan),
    ] {
      #expect(try note.checkFilter(on: .field(name), by: comparator).name == name)
    }
  }
}
