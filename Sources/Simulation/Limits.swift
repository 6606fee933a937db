/// The bounds of simulations, each with its reason.
package enum SimulationLimits {
  /// How often each device is asked when faults have stopped: news goes round all devices, and so
  /// do its consequences.
  package static let rounds = 12
  /// The most steps of a device in one round: setup, import and export, and again behind resets.
  package static let stepsInRound = 40
  /// Among how many moments of transactions a device crashes: a step of an engine has a few, and
  /// some steps come together.
  package static let moments = 16
  /// The records of one request, where people save many objects at once: a world that cuts saves of
  /// thousands would take too long.
  package static let recordsInRequest = 24
  /// How many objects such a save has: fewer than fit into a request, as many, one more, and far
  /// more.
  static let groupSizes = [10, 23, 24, 25, 60]
  /// The lines of a trace that a failure shows: what led to it is mostly among them.
  package static let traceLines = 40
  /// A day, behind which devices compare all names of a public database.
  package static let secondsUntilNamesCompared = 86_401
  /// More than servers remember deletions for.
  package static let secondsUntilTokensExpire = 200 * 86_400
}
