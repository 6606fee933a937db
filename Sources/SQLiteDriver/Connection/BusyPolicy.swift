internal import CSQLite

/// The policy of a connection for waiting for a lock that another one holds.
package enum BusyPolicy: Sendable {
  /// Fails with `SQLITE_BUSY` immediately.
  case fail
  /// Retries with growing delays, for this long.
  case wait(Duration)
  /// Calls a closure after every failed attempt, with the number of earlier calls for this lock.
  ///
  /// If the closure returns true, SQLite tries again. The closure does the waiting.
  case ask(@Sendable (Int) -> Bool)
}

extension Connection {
  /// Replaces the policy of the options.
  package func setBusyPolicy(_ policy: BusyPolicy) throws(SQLiteError) {
    let handle = try unsafe handle()
    busyQuestion = nil
    switch policy {
    case .fail: try check(unsafe sqlite3_busy_timeout(handle, 0))
    case .wait(let duration):
      try check(unsafe sqlite3_busy_timeout(handle, duration.clampedMilliseconds))
    case .ask(let question): try unsafe install(BusyHandlerBox(ask: question), on: handle)
    }
  }

  private func install(_ question: BusyHandlerBox, on handle: OpaquePointer) throws(SQLiteError) {
    busyQuestion = question
    let code = unsafe sqlite3_busy_handler(
      handle,
      { context, attempts in
        guard let context = unsafe context else { return 0 }
        let question = unsafe Unmanaged<BusyHandlerBox>.fromOpaque(context).takeUnretainedValue()
        return question.ask(Int(attempts)) ? 1 : 0
      }, Unmanaged.passUnretained(question).toOpaque())
    try check(code)
  }
}

/// Keeps the closure of `BusyPolicy.ask` at one address; its connection retains it.
final class BusyHandlerBox {
  let ask: @Sendable (Int) -> Bool
  init(ask: @escaping @Sendable (Int) -> Bool) { self.ask = ask }
}

extension Duration {
  /// Whole milliseconds within SQLite's range, rounded up so that a short wait is not zero.
  fileprivate var clampedMilliseconds: Int32 {
    guard self > .zero else { return 0 }
    guard self < .milliseconds(Int(Int32.max)) else { return .max }
    let (seconds, attoseconds) = components
    let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
    return Int32(
      clamping: seconds * 1000 + (attoseconds + attosecondsPerMillisecond - 1)
        / attosecondsPerMillisecond)
  }
}
