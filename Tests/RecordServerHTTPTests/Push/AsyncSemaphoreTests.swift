import RecordServerHTTP
import Synchronization
import Testing

@Suite("Semaphores")
struct TurnstileTests {
  /// Records the tasks that hold a permit.
  private final class Happenings: Sendable {
    let counts = Mutex((inside: 0, most: 0, done: 0))
    let turns = Mutex<[Int]>([])

    func comeIn() {
      counts.withLock { counts in
        counts.inside += 1
        counts.most = max(counts.most, counts.inside)
      }
    }

    func goOut() {
      counts.withLock { counts in
        counts.inside -= 1
        counts.done += 1
      }
    }
  }

  @Test(arguments: [1, 2, 5])
  func `No more tasks enter than there are permits, and each gets its turn`(places: Int) async {
    let turnstile = AsyncSemaphore(places: places)
    let happenings = Happenings()
    await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask {
          await turnstile.enter()
          happenings.comeIn()
          await Task.yield()
          happenings.goOut()
          turnstile.leave()
        }
      }
    }
    let (inside, most, done) = happenings.counts.withLock { $0 }
    #expect(inside == 0 && most <= places && done == 500)
    #expect(turnstile.queueLength == 0)
  }

  @Test func `Turns have the order of the requests`() async {
    let turnstile = AsyncSemaphore(places: 1)
    await turnstile.enter()
    let happenings = Happenings()
    let waiting = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          await turnstile.enter()
          happenings.turns.withLock { $0.append(number) }
          turnstile.leave()
        }
        // The next one asks once this one waits.
        while turnstile.queueLength <= number { await Task.yield() }
      }
      let waiting = turnstile.queueLength
      turnstile.leave()
      return waiting
    }
    #expect(waiting == 20)
    #expect(happenings.turns.withLock { $0 } == Array(0..<20))
  }

  @Test func `A permit without a waiting task is free again`() async {
    let turnstile = AsyncSemaphore(places: 2)
    for _ in 0..<10 {
      await turnstile.enter()
      await turnstile.enter()
      turnstile.leave()
      turnstile.leave()
    }
    #expect(turnstile.queueLength == 0)
  }
}
