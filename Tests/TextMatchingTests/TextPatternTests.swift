import Foundation
import Testing
import TextMatching

@Suite struct TextPatternTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let `operator`: TextOperator
    let options: TextOptions
    let pattern: String
    let fits: Bool

    init(
      _ text: String, _ operator: TextOperator, _ options: TextOptions, _ pattern: String,
      _ fits: Bool
    ) {
      self.text = text
      self.operator = `operator`
      self.options = options
      self.pattern = pattern
      self.fits = fits
    }

    var testDescription: String { "\(text) \(`operator`)[\(options.rawValue)] \(pattern): \(fits)" }
  }

  static let c = TextOptions.caseInsensitive
  static let d = TextOptions.diacriticInsensitive
  static let cd: TextOptions = [.caseInsensitive, .diacriticInsensitive]

  static let cases: [Case] = [
    // Scalar by scalar without options.
    Case("école", .equal, [], "école", true),
    Case("e\u{301}cole", .equal, [], "\u{E9}cole", false),
    Case("École", .equal, [], "école", false),
    Case("abc", .beginsWith, [], "ab", true),
    Case("abc", .beginsWith, [], "abcd", false),
    Case("abc", .endsWith, [], "bc", true),
    Case("abc", .endsWith, [], "ab", false),
    Case("aabaabaaa", .contains, [], "aabaaa", true),
    Case("aabaabaab", .contains, [], "aabaaa", false),
    Case("aabaaabaaaa", .contains, [], "aabaaaa", true),
    // Case.
    Case("ÉCOLE", .equal, c, "école", true),
    Case("E\u{301}COLE", .equal, c, "\u{E9}cole", true),
    Case("STRASSE", .equal, c, "straße", true),
    Case("ΟΔΟΣ", .equal, c, "οδος", true),
    Case("MiXeD", .contains, c, "IXE", true),
    Case("MiXeD", .beginsWith, c, "mIx", true),
    Case("MiXeD", .endsWith, c, "XED", true),
    Case("\u{212A}elvin", .beginsWith, c, "k", true),
    Case("[", .equal, c, "{", false),
    Case("@", .equal, c, "`", false),
    // Diacritics.
    Case("école", .equal, d, "ecole", true),
    Case("École", .equal, d, "ecole", false),
    Case("smørrebrød", .contains, d, "o", false),
    Case("école", .contains, c, "e", true),
    Case("é", .contains, c, "e", false),
    Case("e\u{301}", .contains, c, "e", false),
    // Foundation removes these marks in its second pass only.
    Case("\u{5D0}\u{344}", .equal, d, "\u{5D0}", true),
    Case("\u{23A}\u{300}", .equal, cd, "\u{2C65}", true),
    // Width is folded with [cd] only.
    Case("Ｃａｆé", .equal, cd, "cafe", true),
    Case("Ｃafé", .equal, c, "café", false),
    // Texts that are already folded.
    Case("A", .equal, [.normalized, .caseInsensitive], "a", false),
    Case("a", .equal, [.normalized, .caseInsensitive], "a", true),
    // Empty patterns.
    Case("", .equal, [], "", true),
    Case("a", .equal, c, "", false),
    Case("a", .beginsWith, [], "", false),
    Case("", .beginsWith, [], "", false),
    Case("a", .endsWith, cd, "", false),
    Case("a", .contains, [], "", false),
    Case("", .contains, [], "", false),
    Case("", .like, [], "", true),
    Case("a", .like, [], "", false),
    Case("", .matches, [], "", true),
    Case("a", .matches, [], "", false),
    // Wildcards.
    Case("", .like, [], "*", true),
    Case("", .like, [], "?", false),
    Case("line\nline", .like, [], "l*e", true),
    Case("é😀", .like, [], "??", true),
    Case("e\u{301}", .like, [], "?", false),
    Case("e\u{301}", .like, c, "?", true),
    Case("a*c", .like, [], "a\\*c", true),
    Case("abc", .like, [], "a\\*c", false),
    Case("a\\", .like, [], "a\\", true),
    Case("a\\b", .like, [], "a\\\\b", true),
    Case("Mississippi", .like, c, "m*SS*p?", true),
    Case("Mississippi", .like, [], "*iss*iss*iss*", false),
    Case("aXbXc", .like, [], "*X?X*", true),
    Case("ab", .like, [], "a*b*b", false),
    Case("Ångström", .like, cd, "ang*om", true),
    // A literal that overlaps itself: the match starts inside the first candidate.
    Case("aaaab", .like, [], "*aa?b*", true),
    Case("aabaab?", .like, [], "*aab?b*", false),
    Case("abababac", .like, [], "*abab?c*", true),
    Case("aaab", .like, [], "*aab", true),
    Case("éé", .like, [], "*é?", true),
    Case("aé", .like, [], "*a?", true),
    // A text that is exactly as long as its pattern.
    Case("AB", .like, c, "a?", true),
    Case("AB", .like, c, "?*?", true),
    Case("A", .like, c, "?*?", false),
    Case("AB", .beginsWith, c, "ab", true),
    Case("AB", .endsWith, c, "ab", true),
    Case("AB", .contains, c, "ab", true),
    Case("AB", .equal, c, "ab", true),
    Case("ABC", .equal, c, "ab", false),
    // Regular expressions.
    Case("ab", .matches, [], "a|ab", true),
    Case("xab", .matches, [], "a|ab", false),
    Case("ab\n", .matches, [], "ab", false),
    Case("AB", .matches, c, "a[b]", true),
    Case("AB", .matches, [], "a[b]", false),
    Case("cafés", .matches, d, "c.fe\\w", true),
    Case("ABC", .matches, [.caseInsensitive, .normalized], "abc", false),
    Case("abc", .matches, [.caseInsensitive, .normalized], "abc", true),
    Case("café", .matches, [.diacriticInsensitive, .normalized], "cafe", false),
    Case("ab", .matches, [], "(?x) a b # the end", true),
    Case("a.c", .matches, [], "\\Qa.c", true),
    Case("abc", .matches, [], "\\Qa.c", false),
  ]

  @Test(arguments: cases)
  func `A text matches, or does not, as a string, a buffer and a span`(_ row: Case) throws {
    let pattern = try TextPattern(row.operator, row.pattern, options: row.options)
    #expect(pattern.matches(row.text) == row.fits)
    #expect(Array(row.text.utf8).withUnsafeBufferPointer { pattern.matches(utf8: $0) } == row.fits)
    #expect(pattern.matches(utf8: Array(row.text.utf8).span) == row.fits)
  }

  @Test func `Turkish rules apply with [l] only`() throws {
    let turkish = Locale(identifier: "tr_TR")
    #expect(
      try TextPattern(.equal, "ı", options: [.caseInsensitive, .localeSensitive], locale: turkish)
        .matches("I"))
    #expect(
      try !TextPattern(.equal, "i", options: [.caseInsensitive, .localeSensitive], locale: turkish)
        .matches("I"))
    #expect(try TextPattern(.equal, "i", options: [.caseInsensitive], locale: turkish).matches("I"))
  }

  @Test(arguments: [
    ("a(b", 3), ("a**b", 2), ("[z-a]", 3), ("x)", 1), ("ab\\", 2), ("(?<na", 1),
    // Parentheses in a set or after a backslash open no group.
    ("[(]a**", 5), ("([a)]**", 6), ("a\\(b**", 5),
  ])
  func `A mistake in a regular expression is located`(_ pattern: String, _ position: Int) {
    let error = #expect(throws: TextPatternError.self) { try TextPattern(.matches, pattern) }
    #expect(error?.code == .invalidRegularExpression)
    #expect(error?.pattern == pattern)
    #expect(error?.position == position)
    #expect(error?.message.contains(pattern) == true)
  }

  @Test func `A mistake in a very long regular expression has no position`() {
    let pattern = String(repeating: "a", count: 510) + "**"
    let located = #expect(throws: TextPatternError.self) { try TextPattern(.matches, pattern) }
    #expect(located?.position == 511)
    let longer = #expect(throws: TextPatternError.self) { try TextPattern(.matches, "a" + pattern) }
    #expect(longer?.code == .invalidRegularExpression)
    #expect(longer?.position == nil)
  }

  @Test func `A pattern at the limit is searched for`() throws {
    let pattern = String(repeating: "a", count: Limits.patternBytes)
    #expect(try TextPattern(.contains, pattern).matches(pattern))
  }

  @Test func `A pattern over the limit is refused`() {
    let error = #expect(throws: TextPatternError.self) {
      try TextPattern(.contains, String(repeating: "a", count: Limits.patternBytes + 1))
    }
    #expect(error?.code == .patternTooLong)
  }

  @Test func `Malformed bytes become replacement characters if texts are folded`() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0x42]
    #expect(
      try TextPattern(.equal, "A\u{FFFD}b", options: .caseInsensitive).matches(utf8: bytes.span))
    #expect(try TextPattern(.beginsWith, "a").matches(utf8: bytes.span))
  }
}
