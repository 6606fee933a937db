package import Foundation

/// An order of texts: what a sort descriptor's selector and a store's collation both mean.
///
/// Every order is a total preorder: comparing the other way round gives the opposite result, and it is transitive.
/// ``Rule/binary`` and ``Rule/localizedStandard`` call two texts the same only if they are (canonically) the same.
package struct TextCollation: Hashable, Sendable {
  /// Which of `NSString`'s comparisons to make.
  package enum Rule: Hashable, Sendable, CaseIterable {
    /// `compare:`, by Unicode scalars, as SQLite's `BINARY` orders UTF-8.
    case binary

    /// `caseInsensitiveCompare:`, by the scalars of the folded texts. The same in every locale.
    case caseInsensitive

    /// `localizedCompare:`, as dictionaries of the locale order words.
    case localized

    /// `localizedCaseInsensitiveCompare:`, as ``localized`` but blind to case.
    case localizedCaseInsensitive

    /// `localizedStandardCompare:`, as a file browser orders names: numbers by value, case and diacritics only where
    /// nothing else differs.
    case localizedStandard
  }

  /// Which comparison it makes.
  package let rule: Rule

  /// Whose alphabet the localized rules follow.
  ///
  /// The other rules do not look at it.
  package let locale: Locale

  /// The order of a rule in a locale.
  package init(_ rule: Rule, locale: Locale = .current) {
    self.rule = rule
    self.locale = locale
  }

  /// Which text comes first.
  package func compare(_ left: String, _ right: String) -> ComparisonResult {
    switch rule {
    case .binary: return Self.compareScalars(left, right)
    case .caseInsensitive: return Self.compareFolded(left, right)
    case .localized: return compareLocalized(left, right, [])
    case .localizedCaseInsensitive: return compareLocalized(left, right, .caseInsensitive)
    case .localizedStandard: return compareStandard(left, right)
    }
  }

  private func compareLocalized(
    _ left: String, _ right: String, _ options: String.CompareOptions
  ) -> ComparisonResult {
    left.compare(right, options: options, locale: locale)
  }

  private func compareStandard(_ left: String, _ right: String) -> ComparisonResult {
    let options: [String.CompareOptions] = [
      [.numeric, .caseInsensitive, .diacriticInsensitive, .widthInsensitive], [.numeric, .caseInsensitive], .numeric,
      [],
    ]
    for options in options {
      let result = compareLocalized(left, right, options)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }

  private static func compareFolded(_ left: String, _ right: String) -> ComparisonResult {
    let folding = TextFolding(.caseInsensitive)
    return compareScalars(folding.fold(left), folding.fold(right))
  }

  private static func compareScalars(_ left: String, _ right: String) -> ComparisonResult {
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe left.span.compared(with: right.span)
      }
    }
  }
}
