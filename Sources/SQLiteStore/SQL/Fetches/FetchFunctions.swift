package import Foundation
package import SQLiteDriver

extension Connection {
  /// Registers the functions and orders that the SQL of fetches names.
  ///
  /// - Parameter locale: Whose rules `[l]` and the localized orders follow, for as long as the
  ///   connection is open.
  package func registerFetchFunctions(locale: Locale = .current) throws(SQLiteError) {
    try registerStringSearch(locale: locale)
    try registerTextCollations(locale: locale)
    try registerTextFunctions(locale: locale)
    try registerNumberFunctions()
    for function in [Derivation.TextFunction.canonical, .uppercase, .lowercase] {
      try register(function, as: function.sqlName)
    }
  }

  private func register(_ function: Derivation.TextFunction, as name: String) throws(SQLiteError) {
    try SQLiteStore.register(function, as: name, on: self)
  }
}
