/// The differences that a text comparison ignores: the letters in the brackets of
/// `name CONTAINS[cd] "x"`.
///
/// The raw values are those of `NSComparisonPredicate.Options`, so the two convert by raw value.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt

  package init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// `[c]`: upper and lower case are equal.
  package static let caseInsensitive = TextOptions(rawValue: 1)

  /// `[d]`: diacritics are ignored.
  package static let diacriticInsensitive = TextOptions(rawValue: 2)

  /// `[n]`: both sides are already folded and are compared without changes.
  ///
  /// It overrides `[c]` and `[d]`, as Apple documents it.
  package static let normalized = TextOptions(rawValue: 4)

  /// `[l]`: case follows the rules of a locale (a Turkish `I` is the capital of `ı`).
  ///
  /// Ordered comparisons (`<`, `<=`, …) with `[l]` use ``TextCollation`` instead of
  /// ``TextPattern``.
  package static let localeSensitive = TextOptions(rawValue: 8)
}
