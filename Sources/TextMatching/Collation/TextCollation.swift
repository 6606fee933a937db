package import Foundation

/// An order of texts: what a sort descriptor's selector and a store's collation both mean.
///
/// Every order is a total preorder: comparing the other way round gives the opposite result, and it
/// is transitive, so sorts and indexes may rely on it. Which texts it calls the same depends on the
/// rule.
///
/// Texts may come in any normalization form. Malformed UTF-8 counts as replacement characters,
/// except for ``Rule/binary``, which only sees bytes.
package struct TextCollation: Hashable, Sendable {
  /// Which of `NSString`'s comparisons to make.
  package enum Rule: Hashable, Sendable, CaseIterable {
    /// `compare:`, by Unicode scalars, as SQLite's `BINARY` orders UTF-8. Texts are the same scalar
    /// by scalar.
    case binary

    /// `caseInsensitiveCompare:`, by the scalars of the texts folded with `[c]`, the same in every
    /// locale.
    ///
    /// Texts are the same here when `==[c]` holds for them.
    case caseInsensitive

    /// `localizedCompare:`, as dictionaries of the locale order words: diacritics matter after
    /// letters, case last.
    case localized

    /// `localizedCaseInsensitiveCompare:`, as ``localized`` but blind to case and width.
    case localizedCaseInsensitive

    /// `localizedStandardCompare:`, as a file browser orders names: as ``localized``, with numbers
    /// by value.
    ///
    /// Only canonically equivalent texts are the same: `file1` comes after `file01`, or before it,
    /// but always so.
    case localizedStandard
  }

  /// Which comparison it makes.
  package let rule: Rule

  /// Whose alphabet a localized rule follows; `nil` for the other rules.
  package let locale: Locale?

  private let collator: Collator?

  /// The order of a rule in a locale, which only the localized rules look at.
  package init(_ rule: Rule, locale: @autoclosure () -> Locale = .current) {
    self.rule = rule
    self.locale = rule.isLocalized ? locale() : nil
    collator = self.locale.flatMap { Collator.shared(rule, $0) }
  }

  /// Which text comes first.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe compare(utf8: left.span, right.span)
      }
    }
  }

  /// Which text comes first; no `String` is made but to fold a text that is not ASCII.
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
