import Testing
import TextMatching

@Suite struct `Full-text queries` {
  @Test(
    arguments: [
      ("", []), ("Red Äpple", ["red", "apple"]), ("foo-bar_baz", ["foo", "bar", "baz"]),
      ("it's 3.5", ["it", "s", "3", "5"]), ("e\u{301}te\u{301}", ["ete"]),
      ("ΣΊΣΥΦΟΣ", ["σίσυφοσ"]), ("İstanbul ıI", ["istanbul", "ıi"]), ("日本語 テスト", ["日本語", "テスト"]),
      ("a\0b", ["a", "b"]), ("µm ﬁ ß", ["μm", "ﬁ", "ß"]), ("x²", ["x²"]), ("…–—", []),
    ])
  func `Words are runs of letters and numbers, without case and diacritics`(
    text: String, words: [String]
  ) {
    #expect(
      FullTextTokens.tokens(of: text).map { Array($0.unicodeScalars) }
        == words.map { Array($0.unicodeScalars) })
  }

  @Test(
    arguments: [
      ("red apple", #""red" AND "apple""#), (#""red apple""#, #""red apple""#),
      ("app*", #""app" *"#), (#""red app*""#, #""red app" *"#), (#""red app"*"#, #""red app" *"#),
      ("foo-bar", #""foo bar""#), (#"a"b c"d"#, #""a" AND "b c" AND "d""#),
      (#""unfinished phrase"#, #""unfinished phrase""#), ("", #""""#), ("* \" *\"", #""""#),
      ("a AND b OR NOT c", #""a" AND "and" AND "b" AND "or" AND "not" AND "c""#),
      ("NEAR(a b, 2)", #""near a" AND "b" AND "2""#),
      ("{body}: ^x + y", #""body" AND "x" AND "y""#),
      ("'); DROP TABLE ZNOTE; --", #""drop" AND "table" AND "znote""#), ("a**", #""a" *"#),
    ])
  func `A query becomes words in quotes`(query: String, expression: String) {
    #expect(FullTextQuery(query).indexExpression == expression)
  }

  @Test(
    arguments: [
      ("apple red", true), (#""apple red""#, false), (#""red apple""#, true), ("app*", true),
      ("app", false), ("pple*", false), (#""red app*""#, true), (#""re* apple""#, false),
      ("pie", true), ("apple sky", true), (#""pie sky""#, false), ("ÄPPLE", true), ("", false),
      ("...", false), ("red green", false),
    ])
  func `A query matches texts that together contain all terms`(query: String, matches: Bool) {
    #expect(FullTextQuery(query).matches(["A red Äpple pie", "the blue sky"]) == matches)
  }

  @Test func `A word of a phrase matches the same bytes only, as in the index`() {
    let query = FullTextQuery("\"\u{D55C} x\"")
    #expect(query.matches(["\u{D55C} x"]))
    #expect(!query.matches(["\u{1112}\u{1161}\u{11AB} x"]), "canonically equivalent")
  }

  @Test func `Frequent words in short texts are more relevant`() {
    let documents = [
      ["apple " + String(repeating: "word ", count: 30)], ["apple"], ["apple apple pie"],
      ["pear"], [],
    ]
    let relevance = FullTextQuery("apple").relevance(of: documents)
    #expect(relevance[2] > relevance[1] && relevance[1] > relevance[0] && relevance[0] > 0)
    #expect(relevance[3] == 0 && relevance[4] == 0)
    #expect(FullTextQuery("apple").relevance(of: []) == [])
  }

  @Test func `Further terms of a very long query are ignored`() {
    let words = (0..<1000).map { "w\($0)" }.joined(separator: " ")
    #expect(FullTextQuery(words).terms.count == 64)
  }
}
