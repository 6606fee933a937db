/// The limits of the migration's input.
///
/// Each is far above the values of hand-written sources and keeps hostile input cheap.
enum Limits {
  /// The largest source file, in bytes.
  ///
  /// The largest generated Swift files in practice have a few megabytes.
  static let sourceBytes = 16 << 20

  /// The deepest nesting of string literals in interpolations.
  static let interpolationDepth = 64

  /// The deepest nesting of block comments.
  static let commentDepth = 256

  /// The deepest nesting of brackets of all kinds; Swift's own parser stops at 256.
  static let bracketDepth = 1_024

  /// The maximum number of attributes and modifiers before one declaration.
  static let declarationPrefix = 64

  /// The deepest nesting of parentheses and `!` in the condition of `#if`.
  static let conditionDepth = 64

  /// The unchanged lines around a change in a diff, as in `diff -u`.
  static let contextLines = 3
}
