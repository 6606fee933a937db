extension NSComparisonPredicate {
  /// How strings are compared, with Apple's bits.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// `[c]`: upper and lower case are the same.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: accents do not count.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: both strings were folded beforehand and are compared as they are; the other options
    /// do not count.
    public static let normalized = Options(rawValue: 4)
    /// `[l]`: letters are ordered as the current locale orders them.
    ///
    /// Parhelion's addition: the letter is Apple's, the name is not public there.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
