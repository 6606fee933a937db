/// Zones and shares whose values are sealed under old keys and have to be resealed.
///
///     marked ──▶ the keys or the share change ──▶ records are resealed ──▶ the mark is cleared
///
/// The marks are in the key store, so if this process ends early, the next one continues.
extension EncryptionEngine {
  /// Returns the marked zones and shares.
  package func scopesToReseal() throws -> Set<KeyScope> { try stored().scopesToReseal }

  /// Marks a zone or share, before its keys change or records move into it.
  package func markForResealing(_ scope: KeyScope) throws {
    try keepChange { $0.scopesToReseal.insert(scope).inserted }
  }

  /// Clears the mark of a zone or share in which all readable values have its newest key.
  package func clearResealingMark(_ scope: KeyScope) throws {
    try keepChange { $0.scopesToReseal.remove(scope) != nil }
  }
}
