import CloudRecords
import CloudSchema
import TestSupport
import Testing

@Suite struct `Writing schemas` {
  @Test func `The sample prints as Apple exports it`() throws {
    let schema = try Schema(text: libraryText)
    #expect(
      schema.text == """
        DEFINE SCHEMA

            CREATE ROLE Librarian;

            RECORD TYPE Book (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                blob            BYTES,
                branch          LOCATION QUERYABLE,
                cover           ASSET,
                pageCount       INT64 QUERYABLE SORTABLE,
                privateNote     ENCRYPTED STRING,
                published       TIMESTAMP QUERYABLE SORTABLE,
                rating          NUMBER PREFERRED AS DOUBLE,
                shelf           REFERENCE QUERYABLE,
                tags            LIST<STRING> QUERYABLE,
                title           STRING QUERYABLE SEARCHABLE SORTABLE,
                GRANT READ, CREATE, WRITE TO Librarian,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE,
                roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """)
    #expect(try Schema(text: schema.text) == schema)
  }

  @Test func `Keywords and system names are printed in quotes`() throws {
    let text = try schema(
      "\"grant\" STRING, \"Sortable\" STRING, \"___parent\" REFERENCE QUERYABLE"
    ).text
    #expect(text.contains("\"grant\" "))
    #expect(text.contains("\"Sortable\" "))
    #expect(text.contains("\"___parent\"     REFERENCE QUERYABLE"))
    #expect(!text.contains("___share"))
  }

  @Test func `Every schema survives printing and parsing`() throws {
    var random = RandomSchema(generator: .forTest())
    let seed = random.generator
    for _ in 0..<200 {
      let schema = random.schema()
      let again = try Schema(text: schema.text)
      #expect(again == schema, "\(seed)\n\(schema.text)")
      #expect(again.text == schema.text, "\(seed)")
    }
  }

  @Test func `Damaged text gives a printable schema or an error with a position`() throws {
    var random = RandomSchema(generator: .forTest())
    let seed = random.generator
    let pieces = [
      "(", ")", "\"", "/*", "GRANT", "LIST<", ";", ",", "\u{0}", "é", "RECORD TYPE", "--", "\n",
      "ENCRYPTED",
    ]
    var rejected = 0
    for _ in 0..<1_000 {
      var bytes = Array(random.schema().text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random.generator) {
        let start = Int.random(in: 0...bytes.count, using: &random.generator)
        let end = min(bytes.count, start + Int.random(in: 0...9, using: &random.generator))
        let piece = pieces.randomElement(using: &random.generator) ?? ""
        bytes.replaceSubrange(start..<end, with: Array(piece.utf8))
      }
      do {
        let schema = try Schema(text: bytes)
        #expect(try Schema(text: schema.text) == schema, "\(seed)")
      } catch {
        rejected += 1
        #expect(error.issues.allSatisfy { $0.position != nil && !$0.remedy.isEmpty }, "\(seed)")
      }
    }
    #expect(rejected > 500, "\(seed)")
  }

  @Test func `Random bytes never crash the parser`() {
    var generator = SeededGenerator.forTest()
    let seed = generator
    for _ in 0..<500 {
      let count = Int.random(in: 0...80, using: &generator)
      let bytes =
        Array("DEFINE SCHEMA ".utf8)
        + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let issues = #expect(throws: SchemaIssues.self, "\(seed)") {
        // A name in quotes is invalid here, so there is always an issue. It has its own line,
        // because random bytes may begin a line comment.
        try Schema(text: bytes + Array("\n\"x\"".utf8))
      }
      #expect(issues?.isEmpty == false, "\(seed)")
    }
  }
}
