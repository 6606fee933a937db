/// The reserved words of the language.
///
/// They are written in any mixture of cases; `#word` is never one.
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

  /// The keyword that a word is, if it is one.
  init?(word: String) {
    guard word.utf8.count <= 14, let keyword = Self.byName[word.uppercased()] else { return nil }
    self = keyword
  }
}

/// Words that Apple reserves beyond those that the grammar here needs.
///
/// They are escaped when printed, so that the text can be read there too.
let otherReservedWords: Set<String> = [
  "CASEINSENSITIVE", "CI", "FIRST", "LAST", "SIZE", "SUBQUERY", "CAST",
]
