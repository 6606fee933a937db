package import Foundation

/// The folding of texts, which removes the differences that the options ignore.
///
/// Two texts are equal under the options if their folded forms are equal scalar by scalar. Folding
/// is, in this order: canonical composition (NFC), ordinary width with `[cd]`, Foundation's
/// `folding(options:locale:)`, and composition again. So canonically equivalent texts have one
/// folded form, folding is idempotent, and a letter is not found inside its composition with a
/// mark.
///
/// - `[c]` folds case fully: `ß` is `ss`, `ﬁ` is `fi`, `ς` is `σ`.
/// - `[d]` removes diacritics as Foundation does: from Latin, Greek and Cyrillic letters, but not
///   from `ø`, `ł` or `が`.
/// - `[cd]` together also fold full-width and half-width forms (`Ａ` is `a`), like the SQLite
///   search that Core Data uses for `[cd]`. Its options are 385: case 1, diacritics 128, width 256.
/// - Nothing depends on the user's locale without `[l]`.
package struct TextFolding: Sendable {
  /// The options for Foundation's folding; empty if texts are compared without folding.
  let options: String.CompareOptions
  /// The locale of `[l]`; `nil` without it.
  let locale: Locale?
  private let collation: TextCollation
  /// Whether `[c]` makes ASCII letters lowercase, and nothing else in ASCII changes.
  let keepsASCII: Bool

  /// Creates the folding for the options.
  ///
  /// - Parameter locale: The locale of `[l]`, which is evaluated only with `[l]`.
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
    keepsASCII = !Self.hasSpecialASCIIFolding(locale)
  }

  /// Whether texts are compared without folding.
  package var isIdentity: Bool { options.isEmpty }

  /// The folded form of a text.
  package func fold(_ text: String) -> String {
    guard !isIdentity else { return text }
    if keepsASCII, text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? text.lowercased() : text
    }
    var folded = foldedOnce(narrowed(composed(text)))
    // Foundation sometimes leaves a mark after a letter without diacritics, and removes it in a
    // second pass.
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

  /// The order of two texts when both are folded: by scalars, or by locale with `[l]`.
  ///
  /// It implements `<[cd]`, `>=[l]` and similar operators. Without options it is
  /// ``TextCollation/Rule/binary``.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    collation.compare(fold(left), fold(right))
  }

  /// The text with ordinary width, if `[cd]` ignores width.
  ///
  /// It runs first, because Foundation's treatment of a following mark depends on the width.
  private func narrowed(_ text: String) -> String {
    // The forms and their ordinary counterparts start with these bytes: U+FF00 and up, and U+3000.
    guard options.contains(.widthInsensitive),
      text.utf8.contains(where: { $0 == 0xEF || $0 == 0xE3 })
    else {
      return text
    }
    return composed(text.folding(options: .widthInsensitive, locale: nil))
  }

  /// The canonical composition, if the text contains anything that it can change.
  private func composed(_ text: String) -> String {
    // Every scalar below U+0300 is its own composition, and every higher one has a byte of 0xCC or
    // more.
    text.utf8.contains { $0 >= 0xCC } ? text.precomposedStringWithCanonicalMapping : text
  }

  /// Whether the locale folds `I` or `i` differently from ASCII: Turkish, Azerbaijani, and
  /// Lithuanian.
  private static func hasSpecialASCIIFolding(_ locale: Locale?) -> Bool {
    guard let code = locale?.language.languageCode?.identifier else { return false }
    return ["tr", "az", "lt"].contains(code)
  }
}

extension String.CompareOptions {
  fileprivate var count: Int { rawValue.nonzeroBitCount }
}
