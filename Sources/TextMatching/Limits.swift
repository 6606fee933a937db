/// Limits of the work that a pattern can cause.
package enum Limits {
  /// The longest pattern, in bytes of UTF-8.
  ///
  /// A search phrase is far shorter; the limit keeps the search table of a hostile one below 5 MB.
  package static let patternBytes = 1 << 20

  /// The longest regular expression, in scalars, for which the position of an error is determined.
  ///
  /// That compiles every prefix, so the cost is quadratic in the length.
  static let locatedExpressionScalars = 512

  /// The terms of a full-text query that are searched.
  ///
  /// A person types a few. SQLite nests them, and rejects an expression that is too deep.
  static let fullTextTerms = 64

  /// The maximum number of cached collators: a few rules in a few locales.
  static let cachedCollators = 32
}
