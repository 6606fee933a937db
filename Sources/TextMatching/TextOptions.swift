/// What a comparison of texts disregards: the letters in the brackets of `name CONTAINS[cd] "x"`.
///
/// The raw values are those of `NSComparisonPredicate.Options`, so the two convert by raw value.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt

  package init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// `[c]`: upper and lower case are the same.
  package static let caseInsensitive = TextOptions(rawValue: 1)

  /// `[d]`: a letter and the same letter with diacritics are the same.
  package static let diacriticInsensitive = TextOptions(rawValue: 2)

  /// `[n]`: both sides were folded beforehand, so they are compared as they stand.
  ///
  /// Supersedes `[c]` and `[d]`, as Apple documents it.
  package static let normalized = TextOptions(rawValue: 4)

  /// `[l]`: case follows the rules of a locale (a Turkish `I` is the capital of `ı`).
  ///
  /// Ordered comparisons (`<`, `<=`, …) with `[l]` use ``TextCollation`` instead of
  /// ``TextPattern``.
  package static let localeSensitive = TextOptions(rawValue: 8)
}
