/// What bounds the work that a pattern can cause.
package enum Limits {
  /// The longest pattern, in bytes of UTF-8.
  ///
  /// A search phrase is far shorter; the bound keeps the search table of a hostile one below 5 MB.
  package static let patternBytes = 1 << 20

  /// The longest regular expression, in scalars, in which the place of a mistake is looked for.
  ///
  /// Finding it compiles every prefix, so the cost grows with the square of the length.
  static let locatedExpressionScalars = 512

  /// How many collators are kept open: a few rules in a few locales.
  static let rememberedCollators = 32
}
