package import Foundation
package import TextMatching

extension TextCollation.Rule {
  /// What SQL writes after `COLLATE` for this order.
  ///
  /// The names that begin with `NS` are Core Data's; it has none for the others that has been seen
  /// in public.
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
  /// Registers the orders of `TextCollation` under their `collationName`, so that a sort in SQL and
  /// one in memory agree.
  ///
  /// - Parameter locale: Whose alphabet the localized orders follow, for as long as the connection
  ///   is open.
  package func registerTextCollations(locale: Locale = .current) throws(SQLiteError) {
    for rule in TextCollation.Rule.allCases where rule != .binary {
      let collation = TextCollation(rule, locale: locale)
      try register(collation: rule.collationName) { left, right in
        collation.compare(utf8: left, right)
      }
    }
  }
}
