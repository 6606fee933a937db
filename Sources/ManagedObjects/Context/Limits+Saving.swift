extension Limits {
  /// The number of rounds of `willSave()` calls before a save fails.
  ///
  /// Apple uses the same figure.
  static let willSaveRounds = 1000

  /// The number of attempts to save after conflicts were resolved.
  ///
  /// Other contexts may save in between, but a save must not be retried forever with a policy that
  /// resolves nothing.
  static let conflictRounds = 20
}
