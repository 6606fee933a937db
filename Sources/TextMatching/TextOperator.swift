/// How a ``TextPattern`` and a text are put side by side.
package enum TextOperator: Hashable, Sendable, CaseIterable {
  /// The whole text is the pattern.
  case equal

  /// The text starts with the pattern. An empty pattern matches nothing.
  case beginsWith

  /// The text ends with the pattern. An empty pattern matches nothing.
  case endsWith

  /// The pattern stands somewhere in the text. An empty pattern matches nothing.
  case contains

  /// The whole text fits a pattern in which `*` stands for any run of characters and `?` for one
  /// character.
  case like

  /// The whole text fits a regular expression in ICU's syntax.
  case matches
}
