import Cryptography

/// Authentication codes of web forms.
extension Accounts {
  /// A message authentication code for a form, which proves that this server created it.
  package func formCode(for text: String) -> String {
    ServerSecret(bytes: signing.current).formCode(for: text)
  }

  /// Whether a code was created by this server with a secret that is still valid.
  package func isFormCode(_ code: String, for text: String) -> Bool {
    signing.valid(at: now).contains { secret in
      ConstantTime.areEqual(
        Array(code.utf8), Array(ServerSecret(bytes: secret).formCode(for: text).utf8))
    }
  }
}
