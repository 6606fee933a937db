package import Foundation

/// An order of texts, for a sort descriptor's selector and a store's collation.
///
/// Every order is a total preorder: the reverse comparison returns the opposite result, and it is
/// transitive, so sorts and indexes may rely on it. Which texts are equal depends on the rule.
///
/// Texts may have any normalization form. Malformed UTF-8 counts as replacement characters, except
/// for ``Rule/binary``, which compares bytes.
package struct TextCollation: Hashable, Sendable {
  /// The comparison method of `NSString`.
  package enum Rule: Hashable, Sendable, CaseIterable {
    /// `compare:`, by Unicode scalars, as SQLite's `BINARY` orders UTF-8. Only identical scalars
    /// are equal.
    case binary

    /// `caseInsensitiveCompare:`, by the scalars of the texts folded with `[c]`, in every locale.
    ///
    /// Texts are equal if `==[c]` is true for them.
    case caseInsensitive

    /// `localizedCompare:`, the locale's dictionary order: letters first, then diacritics, then
    /// case.
    case localized

    /// `localizedCaseInsensitiveCompare:`, like ``localized`` but ignoring case and width.
    case localizedCaseInsensitive

    /// `localizedStandardCompare:`, the order of a file browser: like ``localized``, with numbers
    /// by value.
    ///
    /// Only canonically equivalent texts are equal: `file1` and `file01` differ, in a fixed order.
    case localizedStandard
  }

  /// The rule of the comparison.
  package let rule: Rule

  /// The locale of a localized rule; `nil` for the other rules.
  package let locale: Locale?

  private let collator: Collator?

  /// The order of a rule in a locale, which only localized rules use.
  package init(_ rule: Rule, locale: @autoclosure () -> Locale = .current) {
    self.rule = rule
    self.locale = rule.isLocalized ? locale() : nil
    collator = self.locale.flatMap { Collator.shared(rule, $0) }
  }

  /// The order of two texts.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe compare(utf8: left.span, right.span)
      }
    }
  }

  /// The order of two texts.
  ///
  /// It creates a `String` only to fold a text that is not ASCII.
  package func compare(utf8 left: Span<UInt8>, _ right: Span<UInt8>) -> ComparisonResult {
    if rule == .binary { return left.compared(with: right) }
    return collator?.compare(left, right) ?? Self.compareFolded(left, right)
  }

  private static func compareFolded(_ left: Span<UInt8>, _ right: Span<UInt8>) -> ComparisonResult {
    if left.isASCII, right.isASCII { return left.comparedAsLowercasedASCII(with: right) }
    let folding = TextFolding(.caseInsensitive)
    return TextCollation(.binary).compare(
      folding.fold(String(utf8: left)), folding.fold(String(utf8: right)))
  }

  package static func == (one: TextCollation, other: TextCollation) -> Bool {
    one.rule == other.rule && one.locale == other.locale
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(rule)
    hasher.combine(locale)
  }
}

extension TextCollation.Rule {
  fileprivate var isLocalized: Bool {
    switch self {
    case .binary, .caseInsensitive: false
    case .localized, .localizedCaseInsensitive, .localizedStandard: true
    }
  }
}
