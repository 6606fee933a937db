extension Limits {
  /// The number of rounds of `willSave()` calls before a save fails.
  ///
  /// Apple uses the same figure.
  static let willSaveRounds = 1000

  /// The number of attempts to save after conflicts were resolved.
  ///
  /// Others may save in between, but a policy that resolves nothing must not retry forever.
  static let conflictRounds = 20
}
