package import CloudRecords

/// The server's dependencies: clock, unique names, and limits.
///
/// Tests and simulations replace them to make responses repeatable.
package struct ServerDependencies: Sendable {
  package var now: @Sendable () -> Timestamp
  /// Returns a unique name of 32 hexadecimal digits.
  package var makeName: @Sendable () -> String
  package var limits: ServiceLimits
  /// A monotonic clock for `ReadingLimits`.
  ///
  /// By default it stands still, so that simulations are repeatable. Then only the limits on the
  /// number of entries apply.
  package var elapsed: @Sendable () -> Duration = { .zero }
  /// Reports errors of the storage, whose details clients do not get.
  package var report: @Sendable (any Error) -> Void
  /// Called after invitations were added to the mail queue; nil if the server sends no mail.
  package var mailAdded: (@Sendable () -> Void)?

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
