package import Foundation
package import TextMatching

extension TextCollation.Rule {
  /// The collation's name after `COLLATE`.
  ///
  /// The names that begin with `NS` are Core Data's; no public names are known for the others.
  package var collationName: String {
    switch self {
    case .binary: "BINARY"
    case .caseInsensitive: "NSCollateNoCase"
    case .localizedStandard: "NSCollateLocaleSensitive"
    case .localized: "ParhelionCollateLocalized"
    case .localizedCaseInsensitive: "ParhelionCollateLocalizedNoCase"
    }
  }
}

extension Connection {
  /// Registers the collations of `TextCollation` under their `collationName`, so that SQL sorts
  /// like code in memory.
  ///
  /// - Parameter locale: The locale of the localized orders, for the connection's lifetime.
  package func registerTextCollations(locale: Locale = .current) throws(SQLiteError) {
    for rule in TextCollation.Rule.allCases where rule != .binary {
      let collation = TextCollation(rule, locale: locale)
      try register(collation: rule.collationName) { left, right in
        collation.compare(utf8: left, right)
      }
    }
  }
}
