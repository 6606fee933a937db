import CloudRecords
import CloudWire
import Synchronization

/// The pending notifications of devices, and the devices that wait for one.
///
/// A waiting device costs a continuation and an entry; a device that neither waits nor has
/// notifications costs nothing.
final class Mailboxes: Sendable {
  private struct Waiter {
    var number: UInt64
    var continuation: CheckedContinuation<PushWait, Never>
  }

  private struct Mailbox {
    var queue: [PushNotification] = []
    /// Whether notifications were dropped, so that a single pruned one replaces all.
    var isOverfull = false
    var waiter: Waiter?

    /// Appends a notification and removes those that it replaces.
    ///
    /// If the queue is full, the new notification, marked as pruned, replaces the whole queue.
    mutating func append(_ notification: PushNotification, capacity: Int) {
      var notification = notification
      if let index = queue.firstIndex(where: notification.replaces) {
        let former = queue.remove(at: index)
        notification.isPruned =
          notification.isPruned || former.isPruned || notification.content != former.content
        notification.isLast = notification.isLast || former.isLast
      }
      isOverfull = isOverfull || queue.count >= capacity
      if isOverfull {
        notification.isPruned = true
        queue.removeAll()
      }
      queue.append(notification)
    }
  }

  private struct State {
    var boxes: [String: Mailbox] = [:]
    var lastWaiter: UInt64 = 0
    /// Waiters whose requests were cancelled before they began to wait.
    var givenUp: Set<UInt64> = []
    /// The number of times that devices were removed.
    var removals: UInt64 = 0
    /// The number of the last waiter when the previous round ended.
    var lastOfRound: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// Creates empty mailboxes.
  ///
  /// - Parameter capacity: The maximum number of pending notifications per device.
  init(capacity: Int) { self.capacity = capacity }

  var waiterCount: Int { state.withLock { $0.boxes.values.count { $0.waiter != nil } } }

  func queueLength(of token: String) -> Int { state.withLock { $0.boxes[token]?.queue.count ?? 0 } }

  // MARK: Delivering

  func put(_ notification: PushNotification, for token: String) {
    let waiter = state.withLock { state -> Waiter? in
      var box = state.boxes.removeValue(forKey: token) ?? Mailbox()
      if let waiter = box.waiter { return waiter }
      box.append(notification, capacity: capacity)
      state.boxes[token] = box
      return nil
    }
    waiter?.continuation.resume(returning: .notification(notification))
  }

  // MARK: Waiting

  /// The number of times that devices were removed.
  var removals: UInt64 { state.withLock(\.removals) }

  /// Waits until there is a notification for a device.
  ///
  /// - Parameter removals: The number of removals when the caller began to check the device.
  func wait(for token: String, since removals: UInt64? = nil) async -> PushWait {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let found = await withTaskCancellationHandler {
      await withCheckedContinuation {
        begin(Waiter(number: number, continuation: $0), for: token, since: removals)
      }
    } onCancel: {
      giveUp(number, token)
    }
    _ = state.withLock { $0.givenUp.remove(number) }
    return found
  }

  private func begin(_ waiter: Waiter, for token: String, since removals: UInt64?) {
    let (ended, found) = state.withLock { state -> (Waiter?, PushWait) in
      if state.isClosed || state.givenUp.contains(waiter.number) { return (waiter, .ended) }
      if let removals, removals != state.removals { return (waiter, .unchecked) }
      var box = state.boxes.removeValue(forKey: token) ?? Mailbox()
      if !box.queue.isEmpty {
        let first = box.queue.removeFirst()
        if !box.queue.isEmpty { state.boxes[token] = box }
        return (waiter, .notification(first))
      }
      let earlier = box.waiter
      box.waiter = waiter
      state.boxes[token] = box
      return (earlier, .ended)
    }
    ended?.continuation.resume(returning: found)
  }

  private func giveUp(_ number: UInt64, _ token: String) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.boxes[token]?.waiter, waiter.number == number else {
        state.givenUp.insert(number)
        return nil
      }
      state.boxes[token] = nil
      return waiter
    }
    waiter?.continuation.resume(returning: .ended)
  }

  // MARK: Ending

  /// Ends the waits that began before the previous round ended, so that each lasts one to two
  /// rounds.
  func endRound() {
    let ended = state.withLock { state -> [Waiter] in
      let last = state.lastOfRound
      state.lastOfRound = state.lastWaiter
      return Self.takeWaiters(from: &state) { $0.number <= last }
    }
    for waiter in ended { waiter.continuation.resume(returning: .quiet) }
  }

  /// Ends the waits of removed devices, and discards their notifications.
  func end(_ tokens: Set<String>) {
    guard !tokens.isEmpty else { return }
    let ended = state.withLock { state in
      state.removals += 1
      return tokens.compactMap { state.boxes.removeValue(forKey: $0)?.waiter }
    }
    for waiter in ended { waiter.continuation.resume(returning: .ended) }
  }

  /// Ends all current and future waits.
  func close() {
    let ended = state.withLock { state -> [Waiter] in
      state.isClosed = true
      return Self.takeWaiters(from: &state) { _ in true }
    }
    for waiter in ended { waiter.continuation.resume(returning: .ended) }
  }

  /// Removes the waiters that match, with their mailboxes, whose queues are empty.
  private static func takeWaiters(from state: inout State, where matches: (Waiter) -> Bool)
    -> [Waiter]
  {
    let taken = state.boxes.filter { $0.value.waiter.map(matches) ?? false }
    for token in taken.keys { state.boxes[token] = nil }
    return taken.values.compactMap(\.waiter)
  }
}

extension PushNotification {
  /// Whether this notification covers another one, or is shown in its place.
  fileprivate func replaces(_ other: PushNotification) -> Bool {
    guard
      subscriptionIdentifier == other.subscriptionIdentifier, scope == other.scope,
      container == other.container,
      userRecordName == other.userRecordName
    else { return false }
    if let collapse { return collapse == other.collapse }
    if case .query = content { return false }
    return content == other.content
  }
}
