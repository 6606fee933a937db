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
    try registerIntegerFunction()
    try registerFullTextSearch()
    try register(
      aggregate: WholeSum.name, arity: .exactly(1), traits: [.deterministic, .innocuous],
      WholeSum.self)
    for function in [Derivation.TextFunction.canonical, .uppercase, .lowercase] {
      try register(function, as: function.sqlName)
    }
  }

  /// Registers `ParhelionInteger(a)`: the integer part of a number, or the number itself if that
  /// does not fit in 64 bits.
  private func registerIntegerFunction() throws(SQLiteError) {
    try register(
      function: "ParhelionInteger", arity: .exactly(1), traits: [.deterministic, .innocuous]
    ) { arguments in
      if arguments.isNull(at: 0) { return .null }
      if arguments.storageClass(at: 0) == .integer { return .integer(arguments.int64(at: 0)) }
      let number = arguments.double(at: 0)
      if let whole = Int64(exactly: number.rounded(.towardZero)) { return .integer(whole) }
      return .real(number)
    }
  }

  private func register(_ function: Derivation.TextFunction, as name: String) throws(SQLiteError) {
    try SQLiteStore.register(function, as: name, on: self)
  }
}
