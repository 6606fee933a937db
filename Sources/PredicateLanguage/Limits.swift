/// What bounds the work that a format string or a predicate can cause.
package enum Limits {
  /// The longest format string, in bytes of UTF-8.
  ///
  /// 4 MB: a generated `IN {…}` list of 100,000 numbers fits; a hostile string cannot fill the memory with tokens.
  package static let formatBytes = 4 << 20

  /// How deep an expression or predicate that was read from text may nest.
  ///
  /// Parsing, printing, evaluating and freeing are recursive. The deepest of them takes less than 3 KB of stack for a
  /// level in a debug build, so this many levels fit the smallest stack a thread gets (1 MB) several times.
  package static let nesting = 96

  /// How many keys a key path may have.
  ///
  /// A path of collection operators is walked recursively, so the same bound holds as for nesting.
  package static let pathComponents = 96

  /// The longest excerpt of a format string that an error shows, in characters.
  static let excerptCharacters = 100
}
