package import Foundation
internal import TextMatching

extension Connection {
  /// Registers `NSCoreDataStringSearch(text, pattern, options, use)`; see `StringSearch` for the
  /// numbers.
  ///
  /// It returns 1 or 0, never NULL, so that `NOT` means the same in SQL as in memory. A missing
  /// text or pattern does not match, except that two missing ones are equal under `==`. The pattern
  /// is prepared once per execution.
  ///
  /// - Parameter locale: The locale of `[l]`.
  package func registerStringSearch(locale: Locale = .current) throws(SQLiteError) {
    let traits: FunctionTraits = [.deterministic, .innocuous]
    try register(function: "NSCoreDataStringSearch", arity: .exactly(4), traits: traits) {
      arguments in
      let (bits, use) = (arguments.int64(at: 2), arguments.int64(at: 3))
      guard let search = StringSearch(optionBits: bits, use: use) else {
        throw SQLiteError(
          code: .misuse,
          message: "NSCoreDataStringSearch does not know the options \(bits) with use \(use)")
      }
      return .integer(try search.fits(arguments, locale: locale) ? 1 : 0)
    }
  }
}

extension StringSearch {
  fileprivate func fits(_ arguments: borrowing FunctionArguments, locale: Locale) throws -> Bool {
    guard !arguments.isNull(at: 1) else { return `operator` == .equal && arguments.isNull(at: 0) }
    let kept = try arguments.auxiliary(at: 1) {
      try PreparedSearch(self, arguments.text(at: 1) ?? "", locale: locale)
    }
    // The pattern may be a constant although the options come from a column.
    let prepared =
      kept.search == self
      ? kept : try PreparedSearch(self, arguments.text(at: 1) ?? "", locale: locale)
    return arguments.withText(at: 0) { prepared.pattern.matches(utf8: $0) } ?? false
  }
}

/// A pattern that SQLite keeps with its statement.
private final class PreparedSearch {
  let search: StringSearch
  let pattern: TextPattern

  init(_ search: StringSearch, _ pattern: String, locale: Locale) throws {
    self.search = search
    self.pattern = try TextPattern(
      search.operator, pattern, options: search.options, locale: locale)
  }
}
