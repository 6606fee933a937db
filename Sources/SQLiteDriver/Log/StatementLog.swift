/// Sees every statement that a connection runs; the hook of SQL debugging and of tests that count
/// statements.
///
/// Off by default, and free then: SQLite calls nothing.
final class StatementLog {
  let expandsBindings: Bool
  let report: (LoggedStatement) -> Void

  /// When each running statement started, by the address of its handle: statements can run inside
  /// each other.
  private var starts: [UInt: ContinuousClock.Instant] = [:]

  init(expandsBindings: Bool, report: @escaping (LoggedStatement) -> Void) {
    self.expandsBindings = expandsBindings
    self.report = report
  }

  func started(_ address: UInt) { starts[address] = .now }

  /// How long the statement ran, the time its reader took between rows included.
  func finished(_ address: UInt) -> Duration {
    starts.removeValue(forKey: address).map { $0.duration(to: .now) } ?? .zero
  }
}
