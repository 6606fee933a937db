/// The reserved words of the language.
///
/// They are not case-sensitive; `#word` is never a keyword.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case any = "ANY"
  case someElement = "SOME"
  case all = "ALL"
  case noElement = "NONE"
  case `in` = "IN"
  case like = "LIKE"
  case matches = "MATCHES"
  case tokenMatches = "TOKENMATCHES"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case between = "BETWEEN"
  case null = "NULL"
  case `nil` = "NIL"
  case `self` = "SELF"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case anyKey = "ANYKEY"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case union = "UNION"
  case intersect = "INTERSECT"
  case minus = "MINUS"

  private static let byName: [String: Keyword] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The keyword for a word, if it is one.
  init?(word: String) {
    guard word.utf8.count <= 14, let keyword = Self.byName[word.uppercased()] else { return nil }
    self = keyword
  }
}

/// Words that Apple reserves, and that are not keywords of this grammar.
///
/// The printer escapes them, so that Apple's parser can read the text.
let otherReservedWords: Set<String> = [
  "CASEINSENSITIVE", "CI", "FIRST", "LAST", "SIZE", "SUBQUERY", "CAST",
]
