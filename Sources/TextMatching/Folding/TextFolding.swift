package import Foundation

/// The form of a text in which everything that the options disregard is gone.
///
/// Two texts are the same under the options when their folded forms are the same scalar by scalar.
/// Folding means, in this order: canonical composition (NFC), ordinary width with `[cd]`,
/// Foundation's `folding(options:locale:)`, and composition again. So canonically equivalent texts
/// have one folded form, folding twice is folding once, and a letter is not found inside one that
/// is composed of it and a mark.
///
/// - `[c]` folds case fully: `ß` is `ss`, `ﬁ` is `fi`, `ς` is `σ`.
/// - `[d]` removes diacritics where Foundation does: in Latin, Greek and Cyrillic letters, but not
///   from `ø`, `ł` or `が`.
/// - `[cd]` together also make full-width and half-width forms the same (`Ａ` is `a`), as the search
///   that Core Data sends to SQLite for `[cd]` asks for it (options 385 = case 1, diacritics 128,
///   width 256).
/// - Nothing depends on the user's locale unless `[l]` is given.
package struct TextFolding: Sendable {
  /// What Foundation is asked to fold; empty where texts are compared as they stand.
  let options: String.CompareOptions
  /// Whose rules `[l]` means; `nil` without it.
  let locale: Locale?
  private let collation: TextCollation
  /// Whether ASCII letters fold to ASCII lowercase and nothing else in ASCII changes.
  let keepsASCII: Bool

  /// The folding that the options ask for.
  ///
  /// - Parameter locale: whose rules `[l]` means. It is not looked at without `[l]`.
  package init(_ options: TextOptions, locale: @autoclosure () -> Locale = .current) {
    var folded: String.CompareOptions = []
    if !options.contains(.normalized) {
      if options.contains(.caseInsensitive) { folded.insert(.caseInsensitive) }
      if options.contains(.diacriticInsensitive) { folded.insert(.diacriticInsensitive) }
      if folded.count == 2 { folded.insert(.widthInsensitive) }
    }
    self.options = folded
    let locale = options.contains(.localeSensitive) ? locale() : nil
    self.locale = locale
    collation = locale.map { TextCollation(.localized, locale: $0) } ?? TextCollation(.binary)
    keepsASCII = !Self.hasOwnRulesForASCII(locale)
  }

  /// Whether texts are compared as they stand.
  package var isIdentity: Bool { options.isEmpty }

  /// The folded form of a text.
  package func fold(_ text: String) -> String {
    guard !isIdentity else { return text }
    if keepsASCII, text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? text.lowercased() : text
    }
    var folded = foldedOnce(narrowed(composed(text)))
    // Foundation now and then leaves a mark behind a letter that carries no diacritics, and removes
    // it when asked again.
    if options.contains(.diacriticInsensitive),
      folded.utf8.contains(where: { $0 == 0xCC || $0 == 0xCD })
    {
      folded = foldedOnce(folded)
    }
    return folded
  }

  private func foldedOnce(_ text: String) -> String {
    composed(text.folding(options: options, locale: locale))
  }

  /// Which text comes first when both are folded: by scalars, or with `[l]` as the locale orders
  /// them.
  ///
  /// This is the meaning of `<[cd]`, `>=[l]` and the like. Without options it is
  /// ``TextCollation/Rule/binary``.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    collation.compare(fold(left), fold(right))
  }

  /// The text with its full-width and half-width forms replaced, where `[cd]` disregards width.
  ///
  /// It goes first, because Foundation decides by the form it finds whether a mark after it is a
  /// diacritic.
  private func narrowed(_ text: String) -> String {
    // The forms and their ordinary counterparts start with these bytes: U+FF00 and up, and U+3000.
    guard options.contains(.widthInsensitive),
      text.utf8.contains(where: { $0 == 0xEF || $0 == 0xE3 })
    else {
      return text
    }
    return composed(text.folding(options: .widthInsensitive, locale: nil))
  }

  /// Canonical composition, where the text holds anything that it could change.
  private func composed(_ text: String) -> String {
    // Every scalar below U+0300 is its own composition, and every higher one has a byte of 0xCC or
    // more.
    text.utf8.contains { $0 >= 0xCC } ? text.precomposedStringWithCanonicalMapping : text
  }

  /// Whether the locale folds `I` or `i` differently from ASCII: Turkish, Azerbaijani, and
  /// Lithuanian with its dots.
  private static func hasOwnRulesForASCII(_ locale: Locale?) -> Bool {
    guard let code = locale?.language.languageCode?.identifier else { return false }
    return ["tr", "az", "lt"].contains(code)
  }
}

extension String.CompareOptions {
  fileprivate var count: Int { rawValue.nonzeroBitCount }
}
