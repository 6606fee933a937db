import SQLiteDriver
import Testing

@Suite struct `Reading a row` {
  private func row(_ sql: String, _ body: (borrowing Row) throws -> Void) throws {
    var statement = try Connection(.memory).prepare(sql)
    #expect(try statement.step())
    try body(statement.row)
  }

  @Test func `Text is borrowed as bytes, null characters included`() throws {
    try row("SELECT 'a' || char(0) || 'ü'") { row in
      let bytes = row.withText(at: 0) { utf8 in utf8.indices.map { utf8[$0] } }
      #expect(bytes == [0x61, 0, 0xC3, 0xBC])
      #expect(row.text(at: 0) == "a\0ü")
    }
  }

  @Test func `NULL is not borrowed`() throws {
    try row("SELECT NULL") { row in
      #expect(row.withText(at: 0) { _ in true } == nil)
      #expect(row.withBlob(at: 0) { _ in true } == nil)
      #expect(row.text(at: 0) == nil)
      #expect(row.blob(at: 0) == nil)
      #expect(row.int64(at: 0) == 0)
      #expect(row.double(at: 0) == 0)
      #expect(row.isNull(at: 0) == true)
    }
  }

  @Test func `An empty value is not NULL`() throws {
    try row("SELECT '', x''") { row in
      #expect(row.withText(at: 0) { $0.count } == 0)
      #expect(row.withBlob(at: 1) { $0.byteCount } == 0)
      #expect(row.isNull(at: 1) == false)
    }
  }

  @Test func `Reading converts as SQLite does`() throws {
    try row("SELECT '12abc', 3.9, 7") { row in
      #expect(row.storageClass(at: 0) == .text)
      #expect(row.int64(at: 0) == 12)
      #expect(row.int64(at: 1) == 3)
      #expect(row.double(at: 2) == 7)
      #expect(row.text(at: 2) == "7")
    }
  }

  @Test func `Bytes that are not UTF-8 become replacement characters`() throws {
    try row("SELECT CAST(x'61FF62' AS TEXT)") { row in #expect(row.text(at: 0) == "a\u{FFFD}b") }
  }

  @Test(arguments: [-1, 1, Int.max, Int.min])
  func `A missing column reads as NULL`(column: Int) throws {
    try row("SELECT 5") { row in
      #expect(row.value(at: column) == .null)
      #expect(row.name(at: column) == nil)
    }
  }

  @Test func `Columns have names`() throws {
    try row("SELECT 1 AS one, 2 AS \"two words\"") { row in
      #expect(row.count == 2)
      #expect(row.name(at: 0) == "one")
      #expect(row.name(at: 1) == "two words")
    }
  }

  @Test func `A closure's error keeps its type`() throws {
    struct Stop: Error, Equatable {}
    var caught: Stop?
    try row("SELECT 'x'") { row in
      do throws(Stop) {
        _ = try row.withText(at: 0) { _ throws(Stop) in throw Stop() }
      } catch {
        caught = error
      }
    }
    #expect(caught == Stop())
  }

  @Test func `Every column is NULL before the first step`() throws {
    let statement = try Connection(.memory).prepare("SELECT 5")
    #expect(statement.row.value(at: 0) == .null)
  }
}
