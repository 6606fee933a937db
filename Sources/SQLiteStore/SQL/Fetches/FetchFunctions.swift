package import Foundation
package import SQLiteDriver

extension Connection {
  /// Registers the functions and collations that the SQL of fetches uses.
  ///
  /// - Parameter locale: The locale of `[l]` and of the localized orders, for the connection's
  ///   lifetime.
  package func registerFetchFunctions(locale: Locale = .current) throws(SQLiteError) {
    try registerStringSearch(locale: locale)
    try registerTextCollations(locale: locale)
    try registerTextFunctions(locale: locale)
    try registerNumberFunctions()
    try registerFullTextSearch()
    try register(
      aggregate: WholeSum.name, arity: .exactly(1), traits: [.deterministic, .innocuous],
      WholeSum.self)
    for function in [Derivation.TextFunction.canonical, .uppercase, .lowercase] {
      try register(function, as: function.sqlName)
    }
  }

  private func register(_ function: Derivation.TextFunction, as name: String) throws(SQLiteError) {
    try SQLiteStore.register(function, as: name, on: self)
  }
}
