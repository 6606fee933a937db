import CloudRecords
import CloudSchema
import Testing

@Suite struct `Parsing schemas` {
  @Test func `The sample schema is parsed completely`() throws {
    let schema = try Schema(text: libraryText)
    #expect(schema.roles == ["Librarian"])
    #expect(schema.types.map(\.name) == ["Book", "Users"])
    let book = try #require(schema[type: "Book"])
    #expect(
      book.fields.map(\.name) == [
        "blob", "branch", "cover", "pageCount", "privateNote", "published", "rating", "shelf",
        "tags", "title",
      ])
    #expect(
      book[field: "title"]
        == FieldDefinition(
          name: "title", datatype: .plain(.string), indexes: [.queryable, .sortable, .searchable]))
    #expect(book[field: "rating"]?.datatype == .number(preferred: .double))
    #expect(book[field: "privateNote"]?.datatype == .encrypted(.string))
    #expect(book[field: "tags"]?.datatype == .plain(.stringList))
    #expect(book[indexesOf: .recordIdentifier] == .queryable)
    #expect(book[indexesOf: .modifiedTime] == [.queryable, .sortable])
    #expect(book[indexesOf: .createdTime] == [])
    #expect(book.grants.roles == ["Librarian", "_creator", "_icloud", "_world"])
    #expect(book.grants["Librarian"] == [.read, .create, .write])
    #expect(book.grants["_creator"] == .write)
    #expect(schema[type: "Users"] == SystemType.users.definition)
  }

  @Test(arguments: [
    ("ASSET", Datatype.plain(.asset)), ("BYTES", .plain(.bytes)), ("DOUBLE", .plain(.double)),
    ("INT64", .plain(.int64)), ("LOCATION", .plain(.location)), ("REFERENCE", .plain(.reference)),
    ("STRING", .plain(.string)), ("TIMESTAMP", .plain(.timestamp)),
    ("ENCRYPTED BYTES", .encrypted(.bytes)),
    ("ENCRYPTED STRING", .encrypted(.string)), ("ENCRYPTED DOUBLE", .encrypted(.double)),
    ("ENCRYPTED INT64", .encrypted(.int64)), ("ENCRYPTED LOCATION", .encrypted(.location)),
    ("ENCRYPTED TIMESTAMP", .encrypted(.timestamp)), ("NUMBER", .number(preferred: nil)),
    ("NUMBER PREFERRED AS INT64", .number(preferred: .int64)),
    ("NUMBER PREFERRED AS DOUBLE", .number(preferred: .double)),
    ("LIST<ASSET>", .plain(.assetList)),
    ("LIST<BYTES>", .plain(.bytesList)), ("LIST<DOUBLE>", .plain(.doubleList)),
    ("LIST<INT64>", .plain(.int64List)),
    ("LIST<LOCATION>", .plain(.locationList)), ("LIST<REFERENCE>", .plain(.referenceList)),
    ("LIST<STRING>", .plain(.stringList)), ("LIST<TIMESTAMP>", .plain(.timestampList)),
    ("LIST<ENCRYPTED STRING>", .encrypted(.stringList)),
    ("LIST<NUMBER>", .numberList(preferred: nil)),
    ("LIST<NUMBER PREFERRED AS INT64>", .numberList(preferred: .int64)),
  ])
  func `Every datatype is parsed in any case and written in upper case`(
    text: String, datatype: Datatype
  ) throws {
    #expect(try schema("f \(text)")[type: "T"]?[field: "f"]?.datatype == datatype)
    #expect(try schema("f \(text.lowercased())")[type: "T"]?[field: "f"]?.datatype == datatype)
    #expect(datatype.schemaText == text)
  }

  @Test func `Comments are ignored everywhere`() throws {
    let text = """
      \u{FEFF}-- one
      define // naïve → ünï
      /* many
         lines ** / */ schema/**/record/***/type T ( -- "
        a /* LIST< */ string, /* " */
        b INT64 // QUERYABLE
        queryable
      );
      // the end
      """
    #expect(try Schema(text: text) == schema("a STRING, b INT64 QUERYABLE"))
  }

  @Test func `Names may be quoted, and may be keywords`() throws {
    let read = try schema(
      "\"grant\" STRING, \"queryable\" INT64, list LIST<STRING>, to STRING, string STRING")
    #expect(read[type: "T"]?.fields.map(\.name) == ["grant", "list", "queryable", "string", "to"])
    #expect(
      try Schema(text: "DEFINE SCHEMA RECORD TYPE \"T\" (\"a\" STRING);") == schema("a STRING"))
  }

  @Test func `Grants to one role add up`() throws {
    let grants = try #require(
      try schema("GRANT read TO \"_world\", a STRING, GRANT WRITE, WRITE TO \"_world\"")[type: "T"]
    ).grants
    #expect(grants["_world"] == [.read, .write])
    #expect(grants.roles == ["_world"])
  }

  @Test func `A schema and a type may be empty`() throws {
    #expect(try Schema(text: "define schema") == Schema())
    #expect(try schema("")[type: "T"] == RecordTypeDefinition(name: "T"))
  }

  @Test func `A role may be created after grants to it`() throws {
    let text = "DEFINE SCHEMA RECORD TYPE T (GRANT READ TO R); CREATE ROLE R;"
    #expect(try Schema(text: text)[type: "T"]?.grants["R"] == .read)
  }

  @Test func `System types exist with and without a declaration`() throws {
    #expect(SystemType.share.field(named: "cloudkit.title")?.datatype == .plain(.string))
    #expect(SystemType.users.field(named: "cloudkit.title") == nil)
    let mentioned = try schema(
      "\"cloudkit.title\" STRING, colour STRING", type: "\"cloudkit.share\"")
    #expect(mentioned[type: "cloudkit.share"]?.fieldCount == 2)
    #expect(Schema()[type: "cloudkit.share"]?.fieldCount == 0)
    #expect(Schema()[type: "Users"]?.fieldCount == 1)
    #expect(Schema().types.isEmpty)
    #expect(Schema.initial.types.map(\.name) == ["Users"])
  }
}
