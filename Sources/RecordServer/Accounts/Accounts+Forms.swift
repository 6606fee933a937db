import Cryptography

/// Forms of pages.
extension Accounts {
  /// A code that only this server can make of a text: a form that carries it was made here.
  package func formCode(for text: String) -> String {
    ServerSecret(bytes: signing.current).formCode(for: text)
  }

  /// Whether this server made a code of a text, by a secret that counts.
  package func isFormCode(_ code: String, for text: String) -> Bool {
    signing.believed(at: now).contains { secret in
      ConstantTime.areEqual(
        Array(code.utf8), Array(ServerSecret(bytes: secret).formCode(for: text).utf8))
    }
  }
}
