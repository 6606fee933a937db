package import TextMatching

/// One string comparison as the numbers that SQL passes to `NSCoreDataStringSearch`.
///
/// The call's arguments, and the numbers 385 for `[cd]` and 417 with the user's locale, appear in
/// Core Data's SQL log. The other bits are those of `NSString.CompareOptions`. The numbers of the
/// remaining operators are this framework's choice: no file contains them.
///
/// | bit | meaning |
/// |---|---|
/// | 1 | `[c]` |
/// | 2 | `[n]` |
/// | 4 with 8 | at the end |
/// | 8 | at the beginning |
/// | 32 | `[l]` |
/// | 128 | `[d]` |
/// | 256 | width-insensitive: part of `[cd]` |
///
/// The last argument is the use of the pattern: 0 whole text, 1 substring, 2 wildcards, 3 regular
/// expression.
package struct StringSearch: Hashable, Sendable {
  package let `operator`: TextOperator
  package let options: TextOptions

  package init(_ operator: TextOperator, options: TextOptions) {
    self.operator = `operator`
    self.options = options
  }
}

extension StringSearch {
  /// The third argument.
  package var optionBits: Int64 {
    var bits = Self.bits(of: options)
    switch `operator` {
    case .beginsWith: bits |= Self.anchored
    case .endsWith: bits |= Self.anchored | Self.backwards
    case .equal, .contains, .like, .matches: break
    }
    return bits
  }

  /// The fourth argument.
  package var use: Int64 {
    switch `operator` {
    case .equal: 0
    case .beginsWith, .endsWith, .contains: 1
    case .like: 2
    case .matches: 3
    }
  }

  /// Decodes the two arguments; nil for numbers that `optionBits` and `use` never return.
  init?(optionBits: Int64, use: Int64) {
    guard
      let `operator` = Self.operator(
        use: use, anchoring: optionBits & (Self.anchored | Self.backwards))
    else {
      return nil
    }
    var options: TextOptions = []
    for (option, bit) in Self.optionBitPairs where optionBits & bit != 0 { options.insert(option) }
    self.init(`operator`, options: options)
    guard self.optionBits == optionBits else { return nil }
  }

  private static func `operator`(use: Int64, anchoring: Int64) -> TextOperator? {
    switch (use, anchoring) {
    case (0, 0): .equal
    case (1, 0): .contains
    case (1, anchored): .beginsWith
    case (1, anchored | backwards): .endsWith
    case (2, 0): .like
    case (3, 0): .matches
    default: nil
    }
  }

  private static func bits(of options: TextOptions) -> Int64 {
    var bits: Int64 = 0
    for (option, bit) in optionBitPairs where options.contains(option) { bits |= bit }
    if options.isSuperset(of: [.caseInsensitive, .diacriticInsensitive]) {
      bits |= widthInsensitive
    }
    return bits
  }

  private static let optionBitPairs: [(TextOptions, Int64)] = [
    (.caseInsensitive, 1), (.normalized, 2), (.localeSensitive, 32), (.diacriticInsensitive, 128),
  ]
  private static let backwards: Int64 = 4
  private static let anchored: Int64 = 8
  private static let widthInsensitive: Int64 = 256
}
