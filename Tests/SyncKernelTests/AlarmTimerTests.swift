import Foundation
import SyncKernel
import Synchronization
import Testing

@Suite struct `A timer has one alarm` {
  private let start = Date(timeIntervalSince1970: 1_000)

  /// Waits that a test ends.
  private final class Waits: Sendable {
    private let waits = Mutex<[(duration: Duration, end: AsyncStream<Void>.Continuation)]>([])
    private let begun = AsyncStream<Void>.makeStream()

    @Sendable func wait(_ duration: Duration) async throws {
      let (stream, end) = AsyncStream<Void>.makeStream()
      waits.withLock { $0.append((duration, end)) }
      begun.continuation.yield()
      for await _ in stream { break }
      try Task.checkCancellation()
    }

    /// Returns once a number of waits has begun.
    func began(_ count: Int) async -> [Duration] {
      for await _ in begun.stream where waits.withLock({ $0.count >= count }) { break }
      return waits.withLock { $0.map(\.duration) }
    }

    func end(_ index: Int) { waits.withLock { $0[index].end }.yield() }
  }

  @Test func `An alarm fires once, with its number`() async {
    let (waits, fired) = (Waits(), AsyncStream<Int>.makeStream())
    var timer = AlarmTimer()
    timer.set(start + 5, at: start, waiting: waits.wait) { fired.continuation.yield($0) }
    #expect(await waits.began(1) == [.seconds(5)])
    waits.end(0)
    var numbers = fired.stream.makeAsyncIterator()
    let number = await numbers.next() ?? -1
    let takes = [timer.take(number), timer.take(number)]
    #expect(takes == [true, false])
  }

  @Test func `The same date keeps the alarm, another one replaces it`() async {
    let (waits, fired) = (Waits(), AsyncStream<Int>.makeStream())
    var timer = AlarmTimer()
    timer.set(start + 5, at: start, waiting: waits.wait) { fired.continuation.yield($0) }
    _ = await waits.began(1)
    timer.set(start + 5, at: start + 1, waiting: waits.wait) { _ in
      Issue.record("The first alarm runs already.")
    }
    timer.set(start + 3, at: start + 1, waiting: waits.wait) { fired.continuation.yield($0) }
    #expect(await waits.began(2) == [.seconds(5), .seconds(2)])
    waits.end(1)
    var numbers = fired.stream.makeAsyncIterator()
    let number = await numbers.next() ?? -1
    let isCurrent = timer.take(number)
    #expect(isCurrent)
  }

  @Test func `A cancelled alarm that still fires is ignored`() async {
    let (waits, fired) = (Waits(), AsyncStream<Int>.makeStream())
    var timer = AlarmTimer()
    timer.set(start + 5, at: start, waiting: waits.wait) { fired.continuation.yield($0) }
    _ = await waits.began(1)
    waits.end(0)
    var numbers = fired.stream.makeAsyncIterator()
    let number = await numbers.next() ?? -1
    timer.set(nil, at: start, waiting: waits.wait) { _ in }
    let isCurrent = timer.take(number)
    #expect(!isCurrent)
  }
}
