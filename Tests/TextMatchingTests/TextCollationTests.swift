import Foundation
import TestSupport
import Testing
import TextMatching

@Suite struct TextCollationTests {
  static let locales = ["en_US", "de_DE", "sv_SE", "cs_CZ", "tr_TR", "ja_JP"]
  static let rulesAndLocales = TextCollation.Rule.allCases.flatMap { rule in
    locales.map { (rule, $0) }
  }

  @Test(arguments: rulesAndLocales)
  func `Every rule is a total preorder`(_ order: (rule: TextCollation.Rule, locale: String)) {
    let collation = TextCollation(order.rule, locale: Locale(identifier: order.locale))
    var generator = SeededGenerator.forTest()
    for _ in 0..<2_000 {
      let (x, y, z) = (generator.text(), generator.text(), generator.text())
      let xy = collation.compare(x, y).rawValue
      let yz = collation.compare(y, z).rawValue
      let xz = collation.compare(x, z).rawValue
      #expect(collation.compare(x, x) == .orderedSame, "\(generator): \(x.debugDescription)")
      #expect(collation.compare(y, x).rawValue == -xy, "\(generator): \([x, y])")
      if xy == 0 { #expect(xz == yz, "\(generator): \([x, y, z])") }
      if xy == yz { #expect(xz == xy, "\(generator): \([x, y, z])") }
    }
  }

  @Test(arguments: [
    (
      TextCollation.Rule.binary, "en_US",
      ["", "10", "9", "A", "B", "a", "z", "\u{E9}", "\u{E000}", "😀"]
    ),
    (.caseInsensitive, "en_US", ["", "10", "9", "_", "a", "B", "z", "é", "Ö"]),
    (.localized, "en_US", ["", "_", "10", "9", "a", "A", "é", "z"]),
    (.localized, "sv_SE", ["a", "z", "å", "ä", "ö"]),
    (.localized, "de_DE", ["a", "ä", "o", "ö", "z"]),
    (.localized, "cs_CZ", ["cz", "h", "ch", "i"]),
    (.localizedCaseInsensitive, "en_US", ["a", "B", "c", "É", "f"]),
    (.localizedStandard, "en_US", ["a", "A", "b", "File 9", "file 10", "file 10a", "file 0100"]),
  ])
  func `A rule gives this order`(_ rule: TextCollation.Rule, _ locale: String, _ sorted: [String]) {
    let collation = TextCollation(rule, locale: Locale(identifier: locale))
    let result = sorted.reversed().sorted { collation.compare($0, $1) == .orderedAscending }
    #expect(result == sorted)
    for (one, next) in zip(sorted, sorted.dropFirst()) {
      #expect(collation.compare(one, next) == .orderedAscending)
    }
  }

  @Test(arguments: [
    (TextCollation.Rule.binary, "e\u{301}", "\u{E9}", false),
    (.caseInsensitive, "e\u{301}", "\u{C9}", true),
    (.caseInsensitive, "STRASSE", "straße", true),
    (.caseInsensitive, "a", "ä", false),
    (.localized, "e\u{301}", "\u{E9}", true),
    (.localized, "a", "A", false),
    (.localizedCaseInsensitive, "a", "A", true),
    (.localizedCaseInsensitive, "a", "á", false),
    (.localizedStandard, "e\u{301}", "\u{E9}", true),
    (.localizedStandard, "file1", "file01", false),
    (.localizedStandard, "a", "A", false),
    // Marks in either order are canonically equivalent.
    (.localized, "a\u{307}\u{323}", "a\u{323}\u{307}", true),
    (.localizedCaseInsensitive, "a\u{307}\u{323}", "A\u{323}\u{307}", true),
    (.localizedStandard, "a\u{307}\u{323}", "a\u{323}\u{307}", true),
    (.localizedCaseInsensitive, "ａ", "a", true),
  ])
  func `A rule distinguishes these texts, or not`(
    _ rule: TextCollation.Rule, _ one: String, _ other: String, _ areSame: Bool
  ) {
    let collation = TextCollation(rule, locale: Locale(identifier: "en_US"))
    #expect((collation.compare(one, other) == .orderedSame) == areSame)
  }

  @Test func `Texts are equal under caseInsensitive if an equality with [c] holds`() throws {
    var generator = SeededGenerator.forTest()
    let collation = TextCollation(.caseInsensitive)
    for _ in 0..<2_000 {
      let (x, y) = (generator.text(maximumLength: 2), generator.text(maximumLength: 2))
      let isEqual = try TextPattern(.equal, y, options: .caseInsensitive).matches(x)
      #expect((collation.compare(x, y) == .orderedSame) == isEqual, "\(generator): \([x, y])")
    }
  }

  @Test func `Ordered comparisons fold as their options say`() {
    #expect(TextFolding([]).compare("a", "B") == .orderedDescending)
    #expect(TextFolding(.caseInsensitive).compare("a", "B") == .orderedAscending)
    #expect(
      TextFolding([.caseInsensitive, .diacriticInsensitive]).compare("É", "e") == .orderedSame)
    let swedish = Locale(identifier: "sv_SE")
    #expect(TextFolding([]).compare("ö", "ä") == .orderedDescending)
    #expect(TextFolding(.localeSensitive, locale: swedish).compare("z", "ä") == .orderedAscending)
    // Their scalars have the opposite order.
    #expect(TextFolding([]).compare("å", "ä") == .orderedDescending)
    #expect(TextFolding(.localeSensitive, locale: swedish).compare("å", "ä") == .orderedAscending)
    #expect(TextFolding(.localeSensitive, locale: swedish).compare("a", "B") == .orderedAscending)
    #expect(
      TextFolding([.localeSensitive, .diacriticInsensitive], locale: swedish).compare("z", "ä")
        == .orderedDescending)
  }

  @Test func `More locales than the cache holds still give their orders`() {
    for region in 0..<100 {
      let locale = Locale(identifier: "sv_\(String(format: "%03d", region))")
      #expect(TextCollation(.localized, locale: locale).compare("z", "ä") == .orderedAscending)
    }
  }
}
