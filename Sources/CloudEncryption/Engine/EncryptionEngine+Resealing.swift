/// What is sealed under keys that the wrong people have, and has to be sealed anew.
///
///     noted ──▶ the keys or the share change ──▶ records are sealed anew ──▶ the note is taken away
///
/// The notes are in the key store: where a process ends in between, the next one goes on.
extension EncryptionEngine {
  /// The zones and shares that are noted.
  package func scopesToSealAnew() throws -> Set<KeyScope> { try stored().toSealAnew }

  /// Notes a zone or share, before its keys change or records come into it.
  package func noteToSealAnew(_ scope: KeyScope) throws {
    guard try !stored().toSealAnew.contains(scope) else { return }
    try keep { $0.toSealAnew.insert(scope) }
  }

  /// Takes the note of a zone or share away, in which everything is sealed under its newest key.
  package func noteSealedAnew(_ scope: KeyScope) throws {
    guard try stored().toSealAnew.contains(scope) else { return }
    try keep { $0.toSealAnew.remove(scope) }
  }
}
