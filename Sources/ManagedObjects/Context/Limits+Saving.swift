extension Limits {
  /// How often `willSave()` is called before a save gives up: Apple's figure.
  static let willSaveRounds = 1000

  /// How often a save is tried again after its conflicts were resolved: others may save in between,
  /// but a policy that resolves nothing must not try for ever.
  static let conflictRounds = 20
}
