extension NSComparisonPredicate {
  /// The options for comparing strings, with Apple's bits.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The option bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// `[c]`: upper and lower case are equal.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: diacritics are ignored.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: both strings are already folded and are compared without changes; `[c]` and `[d]`
    /// have no effect.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: letters are ordered by the current locale.
    ///
    /// Parhelion's addition: Apple's format strings have the letter, but Apple's API has no public
    /// constant for it.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
