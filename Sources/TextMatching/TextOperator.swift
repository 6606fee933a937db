/// The comparison of a ``TextPattern`` with a text.
package enum TextOperator: Hashable, Sendable, CaseIterable {
  /// The text equals the pattern.
  case equal

  /// The text starts with the pattern. An empty pattern matches nothing.
  case beginsWith

  /// The text ends with the pattern. An empty pattern matches nothing.
  case endsWith

  /// The text contains the pattern. An empty pattern matches nothing.
  case contains

  /// The whole text matches a pattern in which `*` matches any characters and `?` one character.
  case like

  /// The whole text matches a regular expression in ICU's syntax.
  case matches
}
