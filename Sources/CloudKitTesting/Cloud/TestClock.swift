package import CloudRecords
public import Foundation
internal import Synchronization

/// A clock that a test moves with `TestCloud.advance(by:)`.
///
///     stopped ──advance(by:)──▶ stopped at a later time: due waiters resume, earliest first
///
/// The clock moves by itself in one case: a device that backs off moves it by the delay instead of
/// waiting. So its retries come to an end. Everything else waits for the test: delayed and
/// unanswered requests, scheduled work of sync engines, and devices that listen for changes. A test
/// starts the work, waits until the work has registered with the clock, and moves the clock:
///
/// ```swift
/// device.network.inject(.silence)
/// async let saving = database.save(record)
/// await device.network.waitForHeldRequest()
/// try await cloud.advance(by: .seconds(60))
/// ```
///
/// Parhelion's addition.
public final class TestClock: Sendable {
  private struct Waiter {
    var time: Timestamp
    var number: Int
    /// The network that holds a request; nil for other work.
    var network: ObjectIdentifier?
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now: Timestamp
    var waiters: [Waiter] = []
    var cancelled: Set<Int> = []
    /// Streams that end when a waiter registers.
    var observers: [AsyncStream<Never>.Continuation] = []
    var nextNumber = 0
  }

  private let state: Mutex<State>

  /// Creates a clock that stands at a date.
  init(at date: Date) {
    state = Mutex(
      State(now: Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))))
  }

  /// The current time.
  public var now: Date { Date(timeIntervalSince1970: Double(timestamp.milliseconds) / 1_000) }

  /// The current time as a record's timestamp.
  package var timestamp: Timestamp { state.withLock(\.now) }

  /// The number of waiters for a later time.
  public var waiterCount: Int { state.withLock(\.waiters.count) }

  /// Returns when something waits for a later time, or when the task is cancelled.
  ///
  /// The alarms of sync engines and mirrored containers count as waiters. To wait for a request,
  /// use ``TestNetwork/waitForHeldRequest()``.
  public func waitForWaiter() async { await waitForWaiter(heldBy: nil) }

  /// Returns when a network holds a request, or when the task is cancelled.
  ///
  /// - Parameter network: Nil for any waiter.
  func waitForWaiter(heldBy network: TestNetwork?) async {
    let network = network.map { ObjectIdentifier($0) }
    while !Task.isCancelled {
      let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
      let hasWaiter = state.withLock { state in
        let found = state.waiters.contains { network == nil || $0.network == network }
        if !found { state.observers.append(continuation) }
        return found
      }
      if hasWaiter { return }
      for await _ in stream {}
    }
  }

  /// Waits until the clock has moved by a duration.
  ///
  /// - Parameter network: The network that holds a request meanwhile; nil for other work.
  package func wait(
    for duration: Duration, heldBy network: TestNetwork? = nil
  ) async throws(CancellationError) {
    let network = network.map { ObjectIdentifier($0) }
    let (number, time) = state.withLock { state in
      state.nextNumber += 1
      return (
        state.nextNumber,
        Timestamp(milliseconds: state.now.milliseconds + duration.wholeMilliseconds)
      )
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation {
        enter(Waiter(time: time, number: number, network: network, continuation: $0))
      }
    } onCancel: {
      cancel(number)
    }
    if Task.isCancelled { throw CancellationError() }
  }

  private func enter(_ waiter: Waiter) {
    let (waits, observers) = state.withLock { state -> (Bool, [AsyncStream<Never>.Continuation]) in
      guard state.cancelled.remove(waiter.number) == nil, waiter.time > state.now else {
        return (false, [])
      }
      state.waiters.append(waiter)
      defer { state.observers = [] }
      return (true, state.observers)
    }
    for observer in observers { observer.finish() }
    if !waits { waiter.continuation.resume() }
  }

  private func cancel(_ number: Int) {
    let waiter = state.withLock { state -> Waiter? in
      if let index = state.waiters.firstIndex(where: { $0.number == number }) {
        return state.waiters.remove(at: index)
      }
      state.cancelled.insert(number)
      return nil
    }
    waiter?.continuation.resume()
  }

  /// Moves the clock and resumes the waiters that become due.
  ///
  /// `TestCloud.advance` also performs the server's due work.
  func advance(by duration: Duration) {
    precondition(duration >= .zero, "A clock cannot move backwards. Pass zero or more.")
    let due = state.withLock { state in
      state.now.milliseconds += duration.wholeMilliseconds
      let due = state.waiters.filter { $0.time <= state.now }
      state.waiters.removeAll { $0.time <= state.now }
      return due
    }
    for waiter in due.sorted(by: { ($0.time, $0.number) < ($1.time, $1.number) }) {
      waiter.continuation.resume()
    }
  }
}

extension Duration {
  /// The duration in whole milliseconds, limited to ten thousand years.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let most: Int64 = 10_000 * 365 * 86_400
    return min(max(seconds, -most), most) * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
