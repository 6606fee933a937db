import CloudRecords
import CloudSchema
import Testing

@Suite struct `Errors in schema texts` {
  @Test(arguments: [
    ("", "line 1, column 1: Expected DEFINE, found the end of the text."),
    ("DEFINE TABLE", "line 1, column 8: Expected SCHEMA, found TABLE."),
    ("\"DEFINE\" SCHEMA", "line 1, column 1: Expected DEFINE, found \"DEFINE\"."),
    ("DEFINE SCHEMA;", "line 1, column 14: Expected CREATE ROLE or RECORD TYPE, found ';'."),
    ("DEFINE SCHEMA\n  CREATE TABLE x;", "line 2, column 10: Expected ROLE, found TABLE."),
    ("DEFINE SCHEMA CREATE ROLE;", "line 1, column 26: Expected the name of a role, found ';'."),
    ("DEFINE SCHEMA CREATE ROLE r", "line 1, column 28: Expected ';', found the end of the text."),
    ("DEFINE SCHEMA RECORD T", "line 1, column 22: Expected TYPE, found T."),
    ("DEFINE SCHEMA RECORD TYPE T;", "line 1, column 28: Expected '(', found ';'."),
    (
      "DEFINE SCHEMA RECORD TYPE T (a STRING)",
      "line 1, column 39: Expected ';', found the end of the text."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (\r\n\ta STRING,\r\n);",
      "line 3, column 1: Expected a field's name or GRANT, found ')'."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a STRING b INT64);", "line 1, column 39: Expected ')', found b."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a TEXT);",
      "line 1, column 32: Expected a type for the field 'a' in record 'T', found TEXT. "
        + "The types are STRING, INT64, DOUBLE, TIMESTAMP, BYTES, REFERENCE, ASSET, LOCATION, NUMBER."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED ASSET);",
      "line 1, column 42: Expected a type for ENCRYPTED of the field 'a' in record 'T', found ASSET. "
        + "The types are STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a LIST STRING);",
      "line 1, column 37: Expected '<', found STRING."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a LIST<LIST<INT64>>);", "line 1, column 37: Expected a type for"
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a LIST<STRING,);", "line 1, column 43: Expected '>', found ','."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a NUMBER PREFERRED INT64);",
      "line 1, column 49: Expected AS, found INT64."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (a NUMBER PREFERRED AS STRING);",
      "line 1, column 52: Expected INT64 or DOUBLE, found STRING. "
        + "A number's preference is PREFERRED AS INT64 or PREFERRED AS DOUBLE."
    ),
    (
      "DEFINE SCHEMA RECORD TYPE T (GRANT DELETE TO x);",
      "line 1, column 36: Expected READ, CREATE or WRITE, found DELETE."
    ),
    ("DEFINE SCHEMA RECORD TYPE T (GRANT READ x);", "line 1, column 41: Expected TO, found x."),
    (
      "DEFINE SCHEMA RECORD TYPE T (queryable STRING);",
      "line 1, column 30: queryable is a keyword of the schema language. "
        + "To use it as a name, write it in quotes: \"queryable\"."
    ),
    (
      "DEFINE SCHEMA\n -- ü\n  \"x",
      "line 3, column 3: The line does not close the quote of this name. Write the second quote after the name."
    ),
    (
      "DEFINE /* ü\n */ /* ",
      "line 2, column 5: This comment does not end. Write */ after it."
    ),
    ("DEFINE SCHEMA /* ü→ */ !", "line 1, column 24: '!' has no meaning here."),
    ("DEFINE é", "line 1, column 8: A character that is not visible ASCII has no meaning here."),
    ("DEFINE - SCHEMA", "line 1, column 8: '-' has no meaning here."),
  ])
  func `A syntax error has its position`(text: String, begins: String) throws {
    let reported = try #require(try issues { _ = try Schema(text: text) })
    #expect(reported.hasPrefix(begins), "\(reported)")
  }

  @Test(arguments: [
    (
      "a STRING, b INT64, a STRING",
      "line 1, column 49: The field 'a' in record 'T' is defined twice."
    ),
    (
      "1st STRING", "line 1, column 30: The field '1st' in record 'T' does not begin with a letter."
    ),
    ("\"\" STRING", "line 1, column 30: The field '' in record 'T' is empty."),
    (
      "\"a b\" STRING",
      "line 1, column 30: The field 'a b' in record 'T' has characters other than letters"
    ),
    (
      "a.b STRING",
      "line 1, column 30: The field 'a.b' in record 'T' has a dot, which only system names have."
    ),
    (
      "\"cloudkit.title\" STRING",
      "line 1, column 30: The field 'cloudkit.title' in record 'T' has a dot"
    ),
    (
      "\"___mine\" STRING",
      "line 1, column 30: The field '___mine' in record 'T' does not begin with a letter. The system's fields are"
    ),
    (
      "___etag STRING",
      "line 1, column 30: The name ___etag is a system name. Write it in quotes: \"___etag\"."
    ),
    (
      "\"___etag\" INT64",
      "line 1, column 40: The field '___etag' in record 'T' is a system field, and always STRING."
    ),
    (
      "\"___etag\" STRING, \"___etag\" STRING",
      "line 1, column 48: The field '___etag' in record 'T' is mentioned twice."
    ),
    (
      "\"___modTime\" TIMESTAMP SEARCHABLE",
      "line 1, column 30: The field '___modTime' in record 'T' is TIMESTAMP and cannot be SEARCHABLE. "
        + "Leave out SEARCHABLE: it can be QUERYABLE, SORTABLE."
    ),
    (
      "cover ASSET QUERYABLE SORTABLE",
      "line 1, column 30: The field 'cover' in record 'T' is ASSET and cannot be QUERYABLE or SORTABLE. "
        + "Leave out QUERYABLE or SORTABLE: it has no indexes."
    ),
    (
      "f ENCRYPTED STRING QUERYABLE",
      "line 1, column 30: The field 'f' in record 'T' is ENCRYPTED STRING and cannot be QUERYABLE."
    ),
    (
      "f INT64 SEARCHABLE",
      "line 1, column 30: The field 'f' in record 'T' is INT64 and cannot be SEARCHABLE."
    ),
    (
      "f LIST<STRING> SORTABLE",
      "line 1, column 30: The field 'f' in record 'T' is LIST<STRING> and cannot be SORTABLE."
    ),
    (
      "GRANT READ TO nobody",
      "line 1, column 44: The record type 'T' grants permissions to 'nobody', which is not a role of the schema. "
        + "Create it with CREATE ROLE, or grant them to \"_world\", \"_icloud\", \"_creator\"."
    ),
    (
      "GRANT READ TO _world",
      "line 1, column 44: The name _world is a system name. Write it in quotes: \"_world\"."
    ),
  ])
  func `A broken rule has its position`(items: String, begins: String) throws {
    let reported = try #require(try issues { _ = try schema(items) })
    #expect(reported.hasPrefix(begins), "\(reported)")
    #expect(!reported.contains("\n"), "\(reported)")
  }

  @Test func `All broken rules are reported at once, with the first syntax error`()
    throws
  {
    let text = """
      DEFINE SCHEMA
      CREATE ROLE R; CREATE ROLE R; CREATE ROLE "no role";
      RECORD TYPE 2nd (a BYTES SEARCHABLE, GRANT READ TO S);
      RECORD TYPE U (); RECORD TYPE U ();
      RECORD TIP
      """
    let reported = try #require(try issues { _ = try Schema(text: text) })
    #expect(
      reported.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
        "line 2, column 28", "line 2, column 43", "line 3, column 13", "line 3, column 18",
        "line 4, column 31",
        "line 5, column 8", "line 3, column 52",
      ])
  }

  @Test func `Errors beyond the limit are counted`() throws {
    let items = (0..<SchemaLimits.reportedIssues + 7).map { "f\($0) ASSET SORTABLE" }.joined(
      separator: ",")
    let reported = try #require(try issues { _ = try schema(items) })
    #expect(reported.hasSuffix("\nAnd 7 more."))
    #expect(reported.split(separator: "\n").count == SchemaLimits.reportedIssues + 1)
  }

  @Test func `Errors up to the limit are listed`() throws {
    let items = (0..<SchemaLimits.reportedIssues).map { "f\($0) ASSET SORTABLE" }.joined(
      separator: ",")
    let reported = try #require(try issues { _ = try schema(items) })
    #expect(reported.split(separator: "\n").count == SchemaLimits.reportedIssues)
    #expect(!reported.contains("more."))
  }

  @Test func `Errors become the response to a request`() throws {
    let error = try #require(throws: SchemaIssues.self) { _ = try Schema(text: "DEFINE") }
      .cloudError
    #expect(error.code == .badRequest)
    #expect(
      error.reason
        == "line 1, column 7: Expected SCHEMA, found the end of the text. A schema begins with DEFINE SCHEMA."
    )
  }
}

@Suite struct `Limits of schemas` {
  private func fields(_ count: Int) -> String {
    (0..<count).map { "f\($0) STRING" }.joined(separator: ",")
  }

  @Test func `A type may have 256 fields besides the system fields`() throws {
    #expect(try schema("\"___etag\" STRING," + fields(256))[type: "T"]?.fieldCount == 256)
    let reported = try issues { _ = try schema(fields(257)) }
    #expect(reported?.contains("The record type 'T' has more than 256 fields.") == true)
    #expect(reported?.contains("\n") == false)
    var limits = ServiceLimits()
    limits.fieldsPerRecordType = 2
    #expect(throws: SchemaIssues.self) {
      try Schema(
        text: "DEFINE SCHEMA RECORD TYPE T (a STRING, b STRING, c STRING);", limits: limits)
    }
  }

  @Test func `A stored schema may exceed the current limit`() throws {
    let stored = Array("DEFINE SCHEMA RECORD TYPE T (\(fields(300)));".utf8)
    #expect(throws: SchemaIssues.self) { try Schema(text: stored) }
    #expect(try Schema(stored: stored)[type: "T"]?.fieldCount == 300)
  }

  @Test func `Types and roles are bounded`() throws {
    func text(types: Int, roles: Int) -> String {
      "DEFINE SCHEMA " + (0..<types).map { "RECORD TYPE T\($0) ();" }.joined()
        + (0..<roles).map { "CREATE ROLE R\($0);" }.joined()
    }
    #expect(
      try Schema(text: text(types: SchemaLimits.recordTypes, roles: SchemaLimits.roles)).typeCount
        == 500)
    // One item over the limit and several over it give one error each.
    for excess in [1, 2] {
      let reported = try issues {
        _ = try Schema(
          text: text(types: SchemaLimits.recordTypes + excess, roles: SchemaLimits.roles + excess))
      }
      #expect(reported?.contains("more than 500 record types") == true, "\(excess)")
      #expect(reported?.contains("more than 100 roles") == true, "\(excess)")
      #expect(reported?.split(separator: "\n").count == 2, "\(excess)")
    }
  }

  @Test func `A text's length is checked before it is parsed`() throws {
    let text = [UInt8](repeating: UInt8(ascii: " "), count: SchemaLimits.textBytes + 1)
    let reported = try issues { _ = try Schema(text: text) }
    #expect(reported?.hasPrefix("The text of the schema is longer than") == true)
  }
}
