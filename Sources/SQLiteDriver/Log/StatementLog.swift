/// Observes every statement of a connection, for SQL debugging and for tests that count statements.
///
/// It is off by default, and then costs nothing.
final class StatementLog {
  let expandsBindings: Bool
  let report: (LoggedStatement) -> Void

  /// When each running statement started, by the address of its handle; statements can be nested.
  private var starts: [UInt: ContinuousClock.Instant] = [:]

  init(expandsBindings: Bool, report: @escaping (LoggedStatement) -> Void) {
    self.expandsBindings = expandsBindings
    self.report = report
  }

  func started(_ address: UInt) { starts[address] = .now }

  /// The duration of the statement, including the reader's time between rows.
  func finished(_ address: UInt) -> Duration {
    starts.removeValue(forKey: address).map { $0.duration(to: .now) } ?? .zero
  }
}
