import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

@Suite struct `A seeded scheduler` {
  /// Runs blocks on three queues that enqueue each other, and returns their order.
  private static func transcript(seed: UInt64) -> [String] {
    let scheduler = SeededScheduler(seed: seed)
    let queues = ["a", "b", "c"].map { ExecutionQueue(label: $0, scheduler: scheduler) }
    let lines = Lines()
    for round in 0..<5 {
      for (index, queue) in queues.enumerated() {
        queue.perform {
          lines.add("\(queue.label)\(round)")
          queues[(index + 1) % 3].perform { lines.add("\(queue.label)\(round)'") }
        }
      }
    }
    scheduler.runUntilIdle()
    return lines.all
  }

  @Test func `The same seed gives the same order, another seed another order`() {
    #expect(Self.transcript(seed: 1) == Self.transcript(seed: 1))
    #expect(Set((0..<8).map(Self.transcript)).count > 4)
    #expect(Self.transcript(seed: 1).count == 30)
  }

  @Test(arguments: 0..<20) func `A queue keeps its order under every seed`(seed: Int) {
    let own = Self.transcript(seed: UInt64(seed)).filter { $0.hasPrefix("a") && !$0.hasSuffix("'") }
    #expect(own == (0..<5).map { "a\($0)" })
  }

  @Test func `Blocks wait for their turn, and a waiting caller runs them`() {
    let scheduler = SeededScheduler(seed: 3)
    let queue = ExecutionQueue(label: "q", scheduler: scheduler)
    let lines = Lines()
    queue.perform { lines.add("later") }
    #expect(lines.all.isEmpty)
    queue.performAndWait { lines.add("waited") }
    #expect(lines.all == ["later", "waited"])
    scheduler.runUntilIdle()
    #expect(lines.all == ["later", "waited"])
  }

  @Test func `Tasks take turns with queues`() {
    let scheduler = SeededScheduler(seed: 5)
    let queue = ExecutionQueue(label: "q", scheduler: scheduler)
    let main = ExecutionQueue.main(label: "m", scheduler: scheduler)
    let lines = Lines()
    let task = Task(executorPreference: scheduler) {
      for number in 0..<3 {
        await queue.perform(immediately: false) { lines.add("q\(number)") }
        await main.perform(immediately: true) { lines.add("m\(number)") }
      }
    }
    scheduler.runUntilIdle()
    withExtendedLifetime(task) {}
    #expect(lines.all == ["q0", "m0", "q1", "m1", "q2", "m2"])
  }
}

private final class Lines: Sendable {
  private let text = Mutex<[String]>([])

  var all: [String] { text.withLock { $0 } }

  func add(_ line: String) { text.withLock { $0.append(line) } }
}
