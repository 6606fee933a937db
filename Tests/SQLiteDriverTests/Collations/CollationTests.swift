import Foundation
import SQLiteDriver
import TestSupport
import Testing
import TextMatching

@Suite struct `Collations` {
  @Test func `A collation from Swift sorts, compares and indexes`() throws {
    let connection = try Connection(.memory)
    try connection.register(collation: "by_length") { left, right in
      left.count < right.count
        ? .orderedAscending : left.count == right.count ? .orderedSame : .orderedDescending
    }
    try connection.execute(
      """
      CREATE TABLE w(x TEXT COLLATE by_length); CREATE INDEX wx ON w(x);
      INSERT INTO w VALUES ('ccc'), (''), ('a'), ('bb')
      """)
    #expect(try connection.rows("SELECT x FROM w ORDER BY x") == [[""], ["a"], ["bb"], ["ccc"]])
    #expect(try connection.value("SELECT x FROM w WHERE x = '??'") == "bb")
    #expect(try connection.issues(.full) == [])
  }

  @Test func `A collation's closure is released with the connection`() throws {
    final class Witness {}
    weak var witness: Witness?
    do {
      let object = Witness()
      witness = object
      let connection = try Connection(.memory)
      try connection.register(collation: "c") { _, _ in
        withExtendedLifetime(object) { .orderedSame }
      }
      #expect(try connection.value("SELECT 'a' = 'b' COLLATE c") == 1)
    }
    #expect(witness == nil)
  }

  @Test func `A collation in use cannot be replaced, and nothing leaks`() throws {
    final class Witness {}
    weak var witness: Witness?
    let connection = try makeDatabase(rows: 2)
    try connection.register(collation: "c") { _, _ in .orderedSame }
    var statement = try connection.prepare("SELECT name FROM t ORDER BY name COLLATE c")
    let found = try statement.step()
    #expect(found)
    do {
      let object = Witness()
      witness = object
      try sqliteError(.busy) {
        try connection.register(collation: "c") { _, _ in
          withExtendedLifetime(object) { .orderedSame }
        }
      }
    }
    #expect(witness == nil)
    statement.reset()
  }

  @Test(arguments: TextCollation.Rule.allCases)
  func `SQL sorts like memory`(rule: TextCollation.Rule) throws {
    let locale = Locale(identifier: "sv_SE")
    let collation = TextCollation(rule, locale: locale)
    let connection = try Connection(.memory)
    try connection.registerTextCollations(locale: locale)
    var generator = SeededGenerator.forTest()
    let letters = [
      "a", "A", "b", "z", "ä", "Å", "ö", "é", "e\u{301}", "1", "10", "2", " ", "ß", "ch", "Ａ",
    ]
    let words = (0..<200).map { _ in
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        letters.randomElement(using: &generator) ?? ""
      }
      .joined()
    }
    try connection.execute("CREATE TABLE w(id INTEGER PRIMARY KEY, x TEXT)")
    for word in words { try connection.run("INSERT INTO w(x) VALUES (?)", [.text(word)]) }
    let sorted = words.enumerated().sorted {
      switch collation.compare($0.element, $1.element) {
      case .orderedAscending: true
      case .orderedSame: $0.offset < $1.offset
      case .orderedDescending: false
      }
    }
    let rows = try connection.rows("SELECT x FROM w ORDER BY x COLLATE \(rule.collationName), id")
    #expect(rows == sorted.map { [.text($0.element)] }, "\(generator)")
  }

  @Test func `A collation has Core Data's name if that is known`() {
    #expect(TextCollation.Rule.caseInsensitive.collationName == "NSCollateNoCase")
    #expect(TextCollation.Rule.localizedStandard.collationName == "NSCollateLocaleSensitive")
    #expect(
      Set(TextCollation.Rule.allCases.map(\.collationName)).count
        == TextCollation.Rule.allCases.count)
  }
}
