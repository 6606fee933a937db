/// What bounds the work that a format string or a predicate can cause.
package enum Limits {
  /// The longest format string, in bytes of UTF-8.
  ///
  /// 4 MB: a generated `IN {…}` list of 100,000 numbers fits; a hostile string cannot fill the
  /// memory with tokens.
  package static let formatBytes = 4 << 20

  /// How deep an expression or predicate that was read from text may nest.
  ///
  /// Parsing, printing, evaluating and freeing are recursive. Parsing needs most: less than 16 KB
  /// of stack for a level in a debug build, so this many levels fit 1 MB, an eighth of what a
  /// thread gets.
  package static let nesting = 64

  /// How many keys a key path may have.
  ///
  /// A path of collection operators is walked recursively, so the same bound holds as for nesting.
  package static let pathComponents = 96

  /// The longest excerpt of a format string that an error shows, in characters.
  static let excerptCharacters = 100

  /// How many format strings are remembered as templates, and how long they may be in bytes of
  /// UTF-8.
  static let rememberedFormats = 512
  static let rememberedFormatBytes = 1024

  /// How many Swift key paths are remembered with their names.
  ///
  /// A program has as many as its source spells out; those that it makes at run time must not fill
  /// the memory.
  static let rememberedKeyPaths = 4096
}
