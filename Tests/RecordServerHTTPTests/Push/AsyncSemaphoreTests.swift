import RecordServerHTTP
import Synchronization
import TestSupport
import Testing

@Suite("Semaphores", .endsAtAll)
struct AsyncSemaphoreTests {
  /// Records the tasks that hold a permit.
  private final class TaskLog: Sendable {
    let counts = Mutex((inside: 0, most: 0, done: 0))
    let turns = Mutex<[Int]>([])

    func recordEntry() {
      counts.withLock { counts in
        counts.inside += 1
        counts.most = max(counts.most, counts.inside)
      }
    }

    func recordExit() {
      counts.withLock { counts in
        counts.inside -= 1
        counts.done += 1
      }
    }
  }

  @Test(arguments: [1, 2, 5])
  func `No more tasks enter than there are permits, and every task enters`(places: Int) async {
    let semaphore = AsyncSemaphore(places: places)
    let log = TaskLog()
    await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask {
          await semaphore.enter()
          log.recordEntry()
          await Task.yield()
          log.recordExit()
          semaphore.leave()
        }
      }
    }
    let (inside, most, done) = log.counts.withLock { $0 }
    #expect(inside == 0 && most <= places && done == 500)
    #expect(semaphore.queueLength == 0)
  }

  @Test func `Permits are granted in the order of the requests`() async {
    let semaphore = AsyncSemaphore(places: 1)
    await semaphore.enter()
    let log = TaskLog()
    let waiting = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          await semaphore.enter()
          log.turns.withLock { $0.append(number) }
          semaphore.leave()
        }
        // The next one asks once this one waits.
        while semaphore.queueLength <= number, !Task.isCancelled { await Task.yield() }
      }
      let waiting = semaphore.queueLength
      semaphore.leave()
      return waiting
    }
    #expect(waiting == 20)
    #expect(log.turns.withLock { $0 } == Array(0..<20))
  }

  @Test func `A permit without a waiting task is free again`() async {
    let semaphore = AsyncSemaphore(places: 2)
    for _ in 0..<10 {
      await semaphore.enter()
      await semaphore.enter()
      semaphore.leave()
      semaphore.leave()
    }
    #expect(semaphore.queueLength == 0)
  }
}
