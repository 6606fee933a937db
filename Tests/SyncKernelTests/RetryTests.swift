import Foundation
import SyncKernel
import Testing

@Suite struct `Failed attempts back off` {
  private let start = Date(timeIntervalSince1970: 1_000)
  private let backOff = BackOff(first: .seconds(2), longest: .seconds(300))

  @Test func `The limit doubles with each failure up to the longest`() {
    let limits = (1...10).map { backOff.delay(afterFailures: $0, chance: 1) }
    #expect(limits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { .seconds($0) })
  }

  @Test func `Chance spreads a delay over the upper half of its limit`() {
    #expect(backOff.delay(afterFailures: 3, chance: 0) == .seconds(4))
    #expect(backOff.delay(afterFailures: 3, chance: 0.5) == .seconds(6))
    #expect(backOff.delay(afterFailures: 20, chance: 0) == .seconds(150))
  }

  @Test func `No number of failures overflows`() {
    #expect(backOff.delay(afterFailures: 0, chance: 1) == .seconds(2))
    #expect(backOff.delay(afterFailures: .max, chance: 1) == .seconds(300))
  }

  @Test func `A server's delay is a minimum, with up to a quarter more`() {
    #expect(BackOff.serverDelay(.seconds(100), chance: 0) == .seconds(100))
    #expect(BackOff.serverDelay(.seconds(100), chance: 1) == .seconds(125))
  }

  @Test func `An attempt waits until the back-off is over`() {
    var retry = RetryState(backOff)
    #expect(!retry.isWaiting(at: start) && retry.until == nil)
    retry.failed(retryAfterSeconds: nil, at: start, chance: 1)
    #expect(retry.until == start + 2)
    #expect(retry.isWaiting(at: start + 1.9) && !retry.isWaiting(at: start + 2))
    retry.failed(retryAfterSeconds: nil, at: start + 2, chance: 1)
    #expect(retry.until == start + 6)
  }

  @Test func `A returning network ends the back-off, but not the server's delay`() {
    var retry = RetryState(backOff)
    for _ in 0..<9 { retry.failed(retryAfterSeconds: nil, at: start, chance: 1) }
    retry.networkReturned()
    #expect(retry.until == nil)
    retry.failed(retryAfterSeconds: 100, at: start, chance: 0)
    #expect(retry.until == start + 150)
    retry.networkReturned()
    #expect(retry.until == start + 100 && retry.isWaiting(at: start + 99))
    retry.networkReturned()
    #expect(retry.until == start + 100)
  }

  @Test func `The longer of the two delays counts`() {
    var retry = RetryState(backOff)
    retry.failed(retryAfterSeconds: 0, at: start, chance: 1)
    #expect(retry.until == start + 2)
    retry.failed(retryAfterSeconds: 600, at: start, chance: 1)
    #expect(retry.until == start + 750)
  }

  @Test func `An ended wait keeps the count of failures, a success does not`() {
    var retry = RetryState(backOff)
    retry.failed(retryAfterSeconds: 10, at: start, chance: 1)
    retry.endWait()
    #expect(!retry.isWaiting(at: start))
    retry.networkReturned()
    #expect(retry.until == nil)
    retry.failed(retryAfterSeconds: nil, at: start, chance: 1)
    #expect(retry.until == start + 4)
    retry.succeeded()
    #expect(retry == RetryState(backOff))
  }

  @Test func `A failure that delays nothing else counts`() {
    var retry = RetryState(backOff)
    let delays = [retry.countFailure(chance: 1), retry.countFailure(chance: 1)]
    #expect(delays == [2, 4])
    #expect(!retry.isWaiting(at: start))
    retry.failed(retryAfterSeconds: nil, at: start, chance: 1)
    #expect(retry.until == start + 8)
  }

  @Test func `A clock that is set back does not prolong a wait`() {
    let wait = TimedWait(from: start, seconds: 60)
    #expect(!wait.isOver(at: start) && !wait.isOver(at: start + 59) && wait.isOver(at: start + 60))
    #expect(wait.isOver(at: start - 1))
  }
}
