package import CloudRecords

/// What the server takes from the world: time, names that nobody can guess, and its limits.
///
/// Tests and simulations give their own, so that the same requests have the same answers.
package struct ServerEnvironment: Sendable {
  package var now: @Sendable () -> Timestamp
  /// A new name, different from every other: 32 hexadecimal digits.
  package var makeName: @Sendable () -> String
  package var limits: ServiceLimits
  /// The time since some moment in the past, by which `ReadingLimits` are measured.
  ///
  /// It stands still unless it is set, so that simulations repeat: only entries are counted then.
  package var elapsed: @Sendable () -> Duration = { .zero }
  /// Is given what went wrong below the server's own decisions, which clients are not told.
  package var report: @Sendable (any Error) -> Void

  package init(
    now: @escaping @Sendable () -> Timestamp, makeName: @escaping @Sendable () -> String,
    limits: ServiceLimits = ServiceLimits(),
    report: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.now = now
    self.makeName = makeName
    self.limits = limits
    self.report = report
  }
}
