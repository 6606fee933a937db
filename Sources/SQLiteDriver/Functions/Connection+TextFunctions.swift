package import Foundation
internal import TextMatching

extension Connection {
  /// Registers the text functions of expressions.
  ///
  /// | function | result |
  /// |---|---|
  /// | `ParhelionFold(text, options)` | the text, folded by the options |
  /// | `ParhelionLength(text)` | the number of its UTF-16 units |
  /// | `ParhelionTextOrder(one, other, options)` | -1, 0, or 1, in the order of the texts |
  ///
  /// The options are those of `TextOptions`. Each returns NULL for NULL.
  ///
  /// - Parameter locale: The locale of `[l]`.
  package func registerTextFunctions(locale: Locale = .current) throws(SQLiteError) {
    try register(function: "ParhelionLength", arity: .exactly(1), traits: Self.textTraits) {
      arguments in
      arguments.text(at: 0).map { .integer(Int64($0.utf16.count)) } ?? .null
    }
    try register(function: "ParhelionFold", arity: .exactly(2), traits: Self.textTraits) {
      arguments in
      guard let text = arguments.text(at: 0) else { return .null }
      let folding = arguments.auxiliary(at: 1) {
        PreparedFolding(arguments.int64(at: 1), locale: locale)
      }
      return .text(folding.folding.fold(text))
    }
    try register(function: "ParhelionTextOrder", arity: .exactly(3), traits: Self.textTraits) {
      arguments in
      guard let one = arguments.text(at: 0), let other = arguments.text(at: 1) else { return .null }
      let folding = arguments.auxiliary(at: 2) {
        PreparedFolding(arguments.int64(at: 2), locale: locale)
      }
      return .integer(folding.folding.compare(one, other).sign)
    }
  }

  private static let textTraits: FunctionTraits = [.deterministic, .innocuous]
}

/// A folding that SQLite keeps with its statement.
private final class PreparedFolding {
  let folding: TextFolding

  init(_ options: Int64, locale: Locale) {
    folding = TextFolding(TextOptions(rawValue: UInt(truncatingIfNeeded: options)), locale: locale)
  }
}

extension ComparisonResult {
  fileprivate var sign: Int64 {
    switch self {
    case .orderedAscending: -1
    case .orderedSame: 0
    case .orderedDescending: 1
    }
  }
}
