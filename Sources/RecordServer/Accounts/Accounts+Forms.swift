/// Forms of pages.
extension Accounts {
  /// A code that only this server can make of a text: a form that carries it was made here.
  package func formCode(for text: String) -> String { secret.formCode(for: text) }
}
