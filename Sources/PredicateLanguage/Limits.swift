/// Limits of the work that a format string or a predicate can cause.
package enum Limits {
  /// The longest format string, in bytes of UTF-8.
  ///
  /// 4 MB: a generated `IN {…}` list of 100,000 numbers fits; a hostile string cannot fill the
  /// memory with tokens.
  package static let formatBytes = 4 << 20

  /// The deepest nesting of an expression or predicate that was parsed from text.
  ///
  /// Parsing, printing, evaluating and freeing are recursive. Parsing needs the most stack: less
  /// than 16 KB per level in a debug build. So 64 levels fit 1 MB, an eighth of a thread's stack.
  package static let nesting = 64

  /// The maximum number of keys in a key path.
  ///
  /// The evaluation of collection operators is recursive, so a path needs a limit like nesting.
  package static let pathComponents = 96

  /// The longest excerpt of a format string that an error shows, in characters.
  static let excerptCharacters = 100

  /// The maximum number of cached templates, and the maximum length of a cached format string in
  /// bytes of UTF-8.
  static let cachedFormats = 512
  static let cachedFormatBytes = 1024

  /// The maximum number of cached names of Swift key paths.
  ///
  /// The limit keeps key paths that a program creates at run time from filling the memory.
  static let cachedKeyPaths = 4096
}
