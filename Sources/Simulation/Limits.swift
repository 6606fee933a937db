/// The limits of simulations, each with its reason.
package enum SimulationLimits {
  /// The rounds of all devices after faults stop: changes reach all devices, and so do their
  /// consequences.
  package static let rounds = 12
  /// The maximum number of a device's steps in one round: setup, import, and export, and again
  /// after resets.
  package static let stepsInRound = 40
  /// The number of crash points among which a device's crash is chosen.
  ///
  /// A step of an engine has a few crash points, and several steps run in sequence.
  package static let crashPoints = 16
  /// The maximum number of records in one request, if users save many objects at once.
  ///
  /// It is below `MirrorLimits.recordsInRequest`, so that saves of few objects are already split.
  package static let recordsInRequest = 24
  /// The numbers of objects in a save of many: far fewer than fit into a request, one fewer, as
  /// many, one more, and far more.
  static let groupSizes = [10, 23, 24, 25, 60]
  /// The changes before the first step of a world have numbers above this one.
  static let firstNumberOfBeginning = 9_000
  /// The lines of a trace that a failure shows, which usually include the cause.
  package static let traceLines = 40
  /// The seconds until devices compare all names of a public database again: slightly over a day.
  package static let secondsUntilNamesCompared = 86_401
  /// The seconds until change tokens expire: longer than servers keep tombstones.
  package static let secondsUntilTokensExpire = 200 * 86_400
}
