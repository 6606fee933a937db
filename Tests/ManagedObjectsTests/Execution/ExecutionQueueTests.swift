import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.threads)) struct `An execution queue` {
  private let queue = ExecutionQueue(label: "test", scheduler: DispatchScheduler())

  @Test func `An idle queue runs a block on the caller's thread`() {
    let thread = Thread.current
    #expect(queue.performAndWait { Thread.current === thread })
    #expect(!queue.isCurrent)
  }

  @Test func `A block knows that it is on its queue and on no other`() {
    let other = ExecutionQueue(label: "other", scheduler: DispatchScheduler())
    queue.performAndWait {
      #expect(queue.isCurrent)
      #expect(!other.isCurrent)
    }
  }

  @Test func `A block may wait for another one on its queue`() {
    let depth = queue.performAndWait { queue.performAndWait { queue.performAndWait { 3 } } }
    #expect(depth == 3)
    #expect(queue.performAndWait { queue.isCurrent })
  }

  @Test func `Errors and results are passed on`() async throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try queue.performAndWait { () throws in throw Failure() } }
    await #expect(throws: Failure.self) {
      try await queue.perform(immediately: false) { () throws in throw Failure() }
    }
    #expect(await queue.perform(immediately: false) { 7 } == 7)
  }

  @Test func `A block that no caller awaits runs later on the queue`() async {
    let queue = queue
    let wasCurrent = await withCheckedContinuation { continuation in
      queue.performAndWait {
        queue.perform { continuation.resume(returning: queue.isCurrent) }
      }
    }
    #expect(wasCurrent)
  }

  @Test func `Blocks run in the order of their arrival`() async {
    let queue = queue
    let order = Mutex<[Int]>([])
    for number in 0..<200 { queue.perform { order.withLock { $0.append(number) } } }
    // A waiting block runs after earlier ones.
    queue.performAndWait { order.withLock { $0.append(200) } }
    #expect(order.withLock { $0 } == Array(0...200))
  }

  @Test func `A block is released after its run, although others wait`() async {
    final class Marker: Sendable {
      let released: @Sendable () -> Void
      init(released: @escaping @Sendable () -> Void) { self.released = released }
      deinit { released() }
    }
    let queue = queue
    let isReleased = Mutex(false)
    let wasReleased = await withCheckedContinuation { continuation in
      queue.performAndWait {
        let marker = Marker { isReleased.withLock { $0 = true } }
        queue.perform { withExtendedLifetime(marker) {} }
        queue.perform { continuation.resume(returning: isReleased.withLock { $0 }) }
        queue.perform {}
      }
    }
    #expect(wasReleased)
  }

  @Test func `One block runs at a time for all callers`() async {
    let queue = queue
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            switch task % 4 {
            case 0: queue.performAndWait { counter.increment() }
            case 1: await queue.perform(immediately: true) { counter.increment() }
            case 2: await queue.perform(immediately: false) { counter.increment() }
            default:
              await withCheckedContinuation { continuation in
                queue.perform {
                  counter.increment()
                  continuation.resume()
                }
              }
            }
          }
        }
      }
    }
    #expect(queue.performAndWait { counter.value } == 4000)
  }

  @Test func `Threads that wait for a busy queue get their turns`() async {
    let queue = queue
    let counter = Counter()
    await withCheckedContinuation { continuation in
      let remaining = Atomic<Int>(6)
      for _ in 0..<6 {
        Thread.detachNewThread {
          for _ in 0..<1000 { queue.performAndWait { counter.increment() } }
          if remaining.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
            continuation.resume()
          }
        }
      }
    }
    #expect(queue.performAndWait { counter.value } == 6000)
  }

  @Test func `Two queues may wait for each other from within one thread`() {
    let other = ExecutionQueue(label: "other", scheduler: DispatchScheduler())
    let result = queue.performAndWait {
      other.performAndWait { queue.performAndWait { other.isCurrent && queue.isCurrent } }
    }
    #expect(result)
  }

  @Test func `A task on the queue runs an immediate block inside its own`() async {
    let order = await OnQueue(queue).order()
    #expect(order == ["begin", "inner", "end"])
  }

  @Test func `Code isolated to an actor on the queue runs on the queue`() async {
    let actor = OnQueue(queue)
    #expect(await actor.isOnQueue())
    queue.performAndWait { actor.assumeIsolated { $0.note() } }
    #expect(await actor.notes == 1)
  }

  @Test func `The main queue is the main actor's`() async {
    let main = ExecutionQueue.main(label: "main", scheduler: DispatchScheduler())
    #expect(await MainActor.run { main.isCurrent })
    #expect(await MainActor.run { main.performAndWait { main.isCurrent } })
    let queue = queue
    #expect(
      await queue.perform(immediately: false) {
        !main.isCurrent && main.performAndWait { main.isCurrent }
      })
    // The main queue may retain a block for longer than its caller waits.
    #expect(
      await queue.perform(immediately: false) {
        (0..<500).allSatisfy { _ in main.performAndWait { main.isCurrent } }
      })
    #expect(await main.perform(immediately: true) { main.isCurrent })
    #expect(
      await isOnMain(queue, main) == false, "The main actor must not do the work of another queue.")
  }
}

@MainActor
private func isOnMain(_ queue: ExecutionQueue, _ main: ExecutionQueue) async -> Bool {
  await queue.perform(immediately: true) { main.isCurrent }
}

/// A counter that only an exclusive queue keeps correct.
private final class Counter: @unchecked Sendable {
  private(set) var value = 0
  private var isInside = false

  func increment() {
    precondition(!isInside, "Two blocks run at once.")
    isInside = true
    value += 1
    isInside = false
  }
}

private actor OnQueue {
  private let queue: ExecutionQueue
  private(set) var notes = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(_ queue: ExecutionQueue) { self.queue = queue }

  func isOnQueue() -> Bool { queue.isCurrent }

  func note() { notes += 1 }

  func order() async -> [String] {
    let order = Log()
    order.add("begin")
    await queue.perform(immediately: true) { order.add("inner") }
    order.add("end")
    return order.lines
  }
}

private final class Log: Sendable {
  private let text = Mutex<[String]>([])

  var lines: [String] { text.withLock { $0 } }

  func add(_ line: String) { text.withLock { $0.append(line) } }
}
