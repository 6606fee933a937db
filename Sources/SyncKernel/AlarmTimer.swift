package import Foundation

/// Calls back at the next alarm of a state machine.
///
/// There is one alarm at a time. The owner guards the timer with the lock of its machine, so that
/// both always agree.
package struct AlarmTimer: Sendable {
  /// Waits for a duration, and throws if the task is cancelled.
  package typealias Waiting = @Sendable (Duration) async throws -> Void

  private var date: Date?
  private var task: Task<Void, Never>?
  /// The number of the current alarm.
  private var number = 0

  package init() {}

  /// Replaces the alarm.
  ///
  /// An alarm for the same date keeps running, since each save of a program sets one.
  ///
  /// - Parameters:
  ///   - date: The time of the alarm; nil for none.
  ///   - fired: Called with the number of the alarm, which `take(_:)` expects.
  package mutating func set(
    _ date: Date?, at now: Date, waiting: @escaping Waiting,
    _ fired: @escaping @Sendable (Int) -> Void
  ) {
    guard date != self.date else { return }
    cancel()
    guard let date else { return }
    self.date = date
    task = Task { [number] in
      do { try await waiting(.seconds(date.timeIntervalSince(now))) } catch { return }
      fired(number)
    }
  }

  /// Removes the alarm that fired.
  ///
  /// - Returns: Whether it is still the current one.
  package mutating func take(_ number: Int) -> Bool {
    guard number == self.number, date != nil else { return false }
    (date, task) = (nil, nil)
    return true
  }

  /// Removes the alarm.
  package mutating func cancel() {
    task?.cancel()
    (date, task, number) = (nil, nil, number + 1)
  }
}
