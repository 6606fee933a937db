import HTTPServer
import TestSupport
import Testing

@Suite("Deadline queues")
struct DeadlineQueueTests {
  @Test
  func `Entries come out in the order of their times`() {
    var random = SeededGenerator.forTest()
    var queue = DeadlineQueue()
    var expected: [Int64] = []
    for token in 0..<500 {
      let time = Int64.random(in: 0..<100, using: &random)
      queue.insert(time, token: UInt64(token))
      expected.append(time)
      // Some are removed in between, so that the heap also shrinks.
      if token % 7 == 0, let taken = queue.take(until: .max) {
        #expect(taken.time == expected.min(), "\(random)")
        expected.remove(at: expected.firstIndex(of: taken.time) ?? 0)
      }
    }
    #expect(queue.next == expected.min(), "\(random)")
    var rest: [Int64] = []
    while let entry = queue.take(until: .max) { rest.append(entry.time) }
    #expect(rest == expected.sorted(), "\(random)")
    #expect(queue.next == nil)
  }

  @Test
  func `An entry that is not due stays`() {
    var queue = DeadlineQueue()
    queue.insert(10, token: 1)
    queue.insert(5, token: 2)
    let early = queue.take(until: 4)
    #expect(early == nil)
    let due = queue.take(until: 5)
    #expect(due?.token == 2)
    let later = queue.take(until: 9)
    #expect(later == nil)
    #expect(queue.next == 10)
  }
}
