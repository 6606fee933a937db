import CloudRecords
import CloudSchema
import TestSupport
import Testing

private let oldText = """
  DEFINE SCHEMA
    CREATE ROLE Editor;
    RECORD TYPE Gone (a STRING, "___etag" STRING QUERYABLE, GRANT READ TO "_world");
    RECORD TYPE Book (
      "___recordID" REFERENCE QUERYABLE,
      title STRING QUERYABLE SORTABLE,
      old BYTES,
      rating NUMBER,
      pages INT64,
      GRANT READ, WRITE TO Editor,
      GRANT READ TO "_world"
    );
  """

private let newText = """
  DEFINE SCHEMA
    CREATE ROLE Reader;
    RECORD TYPE Arrived (a STRING QUERYABLE, GRANT READ TO "_world");
    RECORD TYPE Book (
      "___modTime" TIMESTAMP SORTABLE,
      title STRING QUERYABLE SEARCHABLE,
      rating NUMBER PREFERRED AS INT64,
      pages DOUBLE,
      subtitle STRING,
      GRANT READ, CREATE TO "_world"
    );
  """

@Suite struct `Differences of schemas` {
  @Test func `Differences are readable steps`() throws {
    let difference = SchemaDifference(
      from: try Schema(text: oldText), to: try Schema(text: newText))
    #expect(
      difference.text == """
        - CREATE ROLE Editor
        + CREATE ROLE Reader
        + RECORD TYPE Arrived
        +   a STRING QUERYABLE
        +   GRANT READ TO "_world"
        ~ RECORD TYPE Book
        -   INDEX "___recordID" QUERYABLE
        +   INDEX "___modTime" SORTABLE
        -   old BYTES
        ~   pages INT64 becomes DOUBLE
        ~   rating NUMBER becomes NUMBER PREFERRED AS INT64
        +   subtitle STRING
        +   INDEX title SEARCHABLE
        -   INDEX title SORTABLE
        -   GRANT READ, WRITE TO Editor
        +   GRANT CREATE TO "_world"
        - RECORD TYPE Gone
        -   "___etag" STRING QUERYABLE
        -   a STRING
        -   GRANT READ TO "_world"

        """)
  }

  @Test func `Equal schemas do not differ, and swapped schemas differ by as many steps`() throws {
    var random = RandomSchema(generator: .forTest())
    let seed = random.generator
    for _ in 0..<100 {
      let (one, other) = (random.schema(), random.schema())
      #expect(SchemaDifference(from: one, to: one).isEmpty, "\(seed)")
      let there = SchemaDifference(from: one, to: other).changes
      let back = SchemaDifference(from: other, to: one).changes
      #expect(there.count == back.count, "\(seed)")
      #expect(there.filter(\.losesValues).allSatisfy { !$0.isAddition }, "\(seed)")
    }
    #expect(SchemaDifference(from: .initial, to: Schema()).text.isEmpty)
  }
}

@Suite struct `Deploying` {
  @Test func `Deployment makes production equal to development`() throws {
    var development = try Schema(text: libraryText)
    #expect(try development.deployed(to: .initial) == development)
    let production = development
    var book = try #require(development[type: "Book"])
    book.define(FieldDefinition(name: "isbn", datatype: .plain(.string)))
    book[indexesOf: .createdTime] = .sortable
    book.grants["_icloud"].insert(.write)
    development.define(book)
    development.roles.insert("Reader")
    development.define(.learned(name: "Note"))
    #expect(try development.deployed(to: production) == development)
  }

  @Test func `Deployment can give a number its first preference`() throws {
    #expect(throws: Never.self) {
      try schema("f NUMBER PREFERRED AS DOUBLE, l LIST<NUMBER PREFERRED AS INT64>")
        .deployed(to: schema("f NUMBER, l LIST<NUMBER>"))
    }
  }

  @Test func `All losses of production are reported at once`() throws {
    let reported = try issues {
      _ = try Schema(text: newText).deployed(to: Schema(text: oldText))
    }
    #expect(
      reported == """
        The role 'Editor' is in production and would be removed. Grant it in development again, or deploy and revoke permissions.
        The field '___recordID' in record 'Book' is QUERYABLE in production and would no longer be. Applications may query by it: mark the field in development again.
        The field 'old' in record 'Book' is in production and would be removed with its values. Applications may use it: import a schema with it into development, or reset development to production.
        The field 'pages' in record 'Book' is INT64 in production and would become DOUBLE. Types never change: reset development to production, and give the new values a field with another name.
        The field 'title' in record 'Book' is SORTABLE in production and would no longer be. Applications may query by it: mark the field in development again.
        The role 'Editor' may READ and WRITE records of type 'Book' in production and no longer could. Grant it in development again, or deploy and revoke permissions.
        The record type 'Gone' is in production and would be removed with its records. Applications may use it: import a schema with it into development, or reset development to production.
        """)
  }

  @Test func `Deployment revokes permissions only on request`() throws {
    let production = try Schema(
      text:
        "DEFINE SCHEMA CREATE ROLE R; RECORD TYPE T (a STRING, GRANT READ, WRITE TO \"_world\", GRANT READ TO R);"
    )
    let development = try schema("a STRING, GRANT READ TO \"_world\"")
    #expect(throws: SchemaIssues.self) { try development.deployed(to: production) }
    #expect(try development.deployed(to: production, revokingPermissions: true) == development)
    let without = try schema("GRANT READ TO \"_world\"")
    let reported = try issues {
      _ = try without.deployed(to: production, revokingPermissions: true)
    }
    #expect(
      reported?.hasPrefix("The field 'a' in record 'T' is in production and would be removed")
        == true)
    #expect(reported?.contains("\n") == false)
  }

  @Test(arguments: [
    "NUMBER", "NUMBER PREFERRED AS INT64", "INT64", "DOUBLE", "ENCRYPTED INT64", "LIST<NUMBER>",
  ])
  func `Deployment changes no type, except for a number's first preference`(text: String) throws {
    let preferred = "NUMBER PREFERRED AS DOUBLE"
    let reported = try issues {
      _ = try schema("f \(preferred)").deployed(to: schema("f \(text)"))
    }
    #expect((reported == nil) == (text == "NUMBER"))
    let back = try issues { _ = try schema("f \(text)").deployed(to: schema("f \(preferred)")) }
    #expect(
      back?.hasPrefix("The field 'f' in record 'T' is NUMBER PREFERRED AS DOUBLE in production")
        == true)
  }
}

@Suite struct `Importing into development` {
  @Test func `An import replaces the schema and names what it erases`() throws {
    let development = try Schema(
      text: "DEFINE SCHEMA RECORD TYPE Old (a STRING); RECORD TYPE T (a STRING QUERYABLE, b INT64);"
    )
    let imported = try schema("a STRING, c BYTES")
    let replacement = try development.importing(imported, production: .initial)
    #expect(replacement.schema == imported)
    #expect(replacement.erasedTypes == ["Old"])
    #expect(replacement.erasedFields == [.init(name: "b", recordType: "T")])
    #expect(
      replacement.difference.text == """
        - RECORD TYPE Old
        -   a STRING
        ~ RECORD TYPE T
        -   INDEX a QUERYABLE
        -   b INT64
        +   c BYTES

        """)
  }

  @Test func `An import may drop indexes and permissions of production`() throws {
    let production = try schema("a STRING QUERYABLE, GRANT READ TO \"_world\"")
    let replacement = try production.importing(schema("a STRING"), production: production)
    #expect(replacement.erasedFields.isEmpty)
    let reported = try issues { _ = try replacement.schema.deployed(to: production) }
    #expect(
      reported == """
        The field 'a' in record 'T' is QUERYABLE in production and would no longer be. Applications may query by it: mark the field in development again.
        The role '_world' may READ records of type 'T' in production and no longer could. Grant it in development again, or deploy and revoke permissions.
        """)
  }

  @Test func `An import that would make production lose data is rejected completely`() throws {
    let production = try Schema(text: oldText)
    let reported = try issues {
      _ = try production.importing(Schema(text: newText), production: production)
    }
    #expect(
      reported == """
        The field 'old' in record 'Book' is in production and would be removed with its values. Add it to the imported schema: production keeps its types and fields.
        The field 'pages' in record 'Book' is INT64 in production and would become DOUBLE. Types never change: keep production's, and give the new values a field with another name.
        The record type 'Gone' is in production and would be removed with its records. Add it to the imported schema: production keeps its types and fields.
        """)
  }

  @Test func `An import that would change the type of a development field is rejected`() throws {
    let development = try schema("a STRING, n NUMBER PREFERRED AS INT64, m NUMBER")
    let imported = try schema("a INT64, n NUMBER, m NUMBER PREFERRED AS DOUBLE")
    let reported = try #require(
      try issues { _ = try development.importing(imported, production: .initial) })
    let lines = reported.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.first?.hasPrefix(
        "The field 'a' in record 'T' is STRING and would become INT64. Types never change") == true
    )
    #expect(
      lines.last?.hasPrefix(
        "The field 'n' in record 'T' is NUMBER PREFERRED AS INT64 and would become NUMBER.") == true
    )
    let without = try development.importing(schema("b STRING"), production: .initial)
    #expect(throws: Never.self) { try without.schema.importing(imported, production: .initial) }
  }

  @Test func `An import names the fields that queries can no longer filter or sort by`() throws {
    let development = try schema(
      """
      "___modTime" TIMESTAMP QUERYABLE, "___createTime" TIMESTAMP QUERYABLE SORTABLE,
      a STRING QUERYABLE, b STRING QUERYABLE SORTABLE, c STRING QUERYABLE SORTABLE, d STRING QUERYABLE SEARCHABLE,
      e STRING QUERYABLE
      """)
    let imported = try schema(
      """
      "___createTime" TIMESTAMP SORTABLE,
      a STRING, b STRING SORTABLE, c STRING QUERYABLE, d STRING SEARCHABLE
      """)
    let replacement = try development.importing(imported, production: .initial)
    // `e` is erased completely.
    #expect(Set(replacement.fieldsWithoutIndex.map(\.name)) == ["___modTime", "a", "d"])
    #expect(replacement.fieldsWithoutIndex.allSatisfy { $0.recordType == "T" })
    #expect(replacement.erasedFields == [.init(name: "e", recordType: "T")])
  }

  @Test func `An import leaves system types that it does not mention`() throws {
    var development = Schema.initial
    var users = SystemType.users.definition
    users.define(FieldDefinition(name: "nickname", datatype: .plain(.string)))
    development.define(users)
    let replacement = try development.importing(schema("a STRING"), production: development)
    #expect(replacement.schema[type: "Users"] == users)
    #expect(replacement.erasedFields.isEmpty)
    let mentioned = try issues {
      _ = try development.importing(
        schema("roles LIST<INT64>", type: "Users"), production: development)
    }
    #expect(
      mentioned?.hasPrefix(
        "The field 'nickname' in record 'Users' is in production and would be removed")
        == true)
  }

  @Test func `A reset makes development equal to production, including field types`() throws {
    let production = try schema("a STRING")
    let reset = try Schema(
      text: "DEFINE SCHEMA RECORD TYPE T (a INT64, b BYTES); RECORD TYPE U ();"
    ).reset(
      to: production)
    #expect(reset.schema == production)
    #expect(reset.erasedTypes == ["U"])
    #expect(
      reset.erasedFields == [.init(name: "a", recordType: "T"), .init(name: "b", recordType: "T")])
  }
}
