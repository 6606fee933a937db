import Foundation
import SQLiteDriver
import TestSupport
import Testing
import TextMatching

@Suite struct `String search in SQL` {
  private static let locale = Locale(identifier: "en_US")

  private func connection() throws -> Connection {
    let connection = try Connection(.memory)
    try connection.registerStringSearch(locale: Self.locale)
    return connection
  }

  private static let sql = "SELECT NSCoreDataStringSearch(?, ?, ?, ?)"

  @Test func `The options [cd] have the number seen in Core Data's log`() {
    let search = StringSearch(.contains, options: [.caseInsensitive, .diacriticInsensitive])
    #expect(search.optionBits == 385)
    #expect(search.use == 1)
    let localized = StringSearch(
      .contains, options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    #expect(localized.optionBits == 417)
  }

  @Test(arguments: TextOperator.allCases)
  func `SQL and memory agree`(textOperator: TextOperator) throws {
    let connection = try connection()
    var statement = try connection.prepare(Self.sql)
    let texts = [
      "", "a", "École", "ecole", "ÉCOLE NORMALE", "e\u{301}cole", "straße", "STRASSE", "a*c", "abc",
      "Ａ", "x\0y",
    ]
    let patterns = [
      "", "é", "E", "cole", "ecole", "éco*", "a?c", "a\\*c", "ss", "ß", "[a-z]+", ".*", "a", "\0",
      "(",
    ]
    for bits in UInt(0)..<16 {
      let options = TextOptions(rawValue: bits)
      let search = StringSearch(textOperator, options: options)
      for pattern in patterns {
        guard
          let inMemory = try? TextPattern(
            textOperator, pattern, options: options, locale: Self.locale)
        else {
          let values: [Value] = [
            "a", .text(pattern), .integer(search.optionBits), .integer(search.use),
          ]
          try sqliteError(.error) { _ = try connection.value(Self.sql, values) }
          continue
        }
        for text in texts {
          try statement.bind([
            .text(text), .text(pattern), .integer(search.optionBits), .integer(search.use),
          ])
          let found = try statement.step()
          try #require(found)
          let answer = statement.row.int64(at: 0) != 0
          #expect(answer == inMemory.matches(text), "\(text) \(textOperator) \(pattern) \(bits)")
          statement.reset()
        }
      }
    }
  }

  @Test(arguments: TextOperator.allCases)
  func `A missing text matches nothing, and NOT reverses that`(textOperator: TextOperator) throws {
    let connection = try connection()
    let search = StringSearch(textOperator, options: .caseInsensitive)
    let numbers: [Value] = [.integer(search.optionBits), .integer(search.use)]
    #expect(try connection.value(Self.sql, [nil, "a"] + numbers) == 0)
    #expect(try connection.value(Self.sql, ["a", nil] + numbers) == 0)
    #expect(
      try connection.value(Self.sql, [nil, nil] + numbers) == (textOperator == .equal ? 1 : 0))
    #expect(
      try connection.value("SELECT NOT NSCoreDataStringSearch(?, ?, ?, ?)", [nil, "a"] + numbers)
        == 1)
  }

  @Test(
    arguments: [(512, 1), (1, 4), (4, 1), (8, 0), (1, -1), (129, 1), (8, 2)] as [(Int64, Int64)])
  func `Invalid option numbers are refused`(bits: Int64, use: Int64) throws {
    let connection = try connection()
    let error = try sqliteError(.misuse) {
      _ = try connection.value(Self.sql, ["a", "a", .integer(bits), .integer(use)])
    }
    #expect(
      error.message == "NSCoreDataStringSearch does not know the options \(bits) with use \(use)")
  }

  @Test func `An invalid regular expression is an error with its reason`() throws {
    let connection = try connection()
    let search = StringSearch(.matches, options: [])
    let error = try sqliteError(.error) {
      _ = try connection.value(
        Self.sql, ["a", "(", .integer(search.optionBits), .integer(search.use)])
    }
    #expect(error.message.contains("("))
  }

  @Test func `Options may differ from row to row for one pattern`() throws {
    let connection = try connection()
    let rows = try connection.rows(
      "SELECT NSCoreDataStringSearch('ABC', ?, column1, 1) FROM (VALUES (0), (1), (0), (9))", ["a"])
    #expect(rows == [[0], [1], [0], [1]])
  }
}
