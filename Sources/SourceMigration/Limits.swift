/// The bounds of what the migration reads.
///
/// Every one is far above what a person writes and keeps hostile input cheap.
enum Limits {
  /// The largest source file, in bytes.
  ///
  /// The largest generated Swift files seen in practice are a few megabytes.
  static let sourceBytes = 16 << 20

  /// How deep string literals may stand in the interpolations of other string literals.
  static let interpolationDepth = 64

  /// How deep block comments may be nested.
  static let commentDepth = 256

  /// How deep round, square and curly brackets may be nested; Swift's own parser stops at 256.
  static let bracketDepth = 1_024

  /// How many attributes and modifiers are read before one declaration.
  static let declarationPrefix = 64

  /// How deep parentheses and `!` may be nested in the condition of `#if`.
  static let conditionDepth = 64

  /// How many lines of unchanged text a diff shows around a change, as `diff -u` does.
  static let contextLines = 3
}
