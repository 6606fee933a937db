/// The limits of simulations, each with its reason.
package enum SimulationLimits {
  /// The rounds of all devices after faults stop: changes reach all devices, and so do their
  /// consequences.
  package static let rounds = 12
  /// The maximum number of a device's steps in one round: setup, import, and export, and again
  /// after resets.
  package static let stepsInRound = 40
  /// The number of crash points among which a device's crash is chosen: a step of an engine has a
  /// few, and several steps run in sequence.
  package static let crashPoints = 16
  /// The maximum number of records in one request, if users save many objects at once.
  ///
  /// A world that splits saves of thousands of objects would take too long.
  package static let recordsInRequest = 24
  /// The numbers of objects in such a save: fewer than fit into a request, as many, one more, and
  /// far more.
  static let groupSizes = [10, 23, 24, 25, 60]
  /// The numbers of changes before the first step begin after this one.
  static let firstNumberOfBeginning = 9_000
  /// The lines of a trace that a failure shows, which usually include the cause.
  package static let traceLines = 40
  /// The seconds until devices compare all names of a public database again: slightly over a day.
  package static let secondsUntilNamesCompared = 86_401
  /// The seconds until change tokens expire: longer than servers keep tombstones.
  package static let secondsUntilTokensExpire = 200 * 86_400
}
