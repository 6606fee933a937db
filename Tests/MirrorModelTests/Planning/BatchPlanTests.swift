import MirrorModel
import ObjectRows
import TestSupport
import Testing

/// The division of pending entries into requests.
struct BatchPlanTests {
  private func subject(_ number: Int) -> OutboxEntry.Subject {
    .object(RowKey(key: Int64(number), layoutIndex: 0))
  }

  private func item(_ number: Int, group: Int64, bytes: Int = 10, to others: [Int] = [])
    -> BatchPlan.Item
  {
    BatchPlan.Item(
      subject: subject(number), group: group, bytes: bytes, refersTo: others.map(subject))
  }

  /// Batches as text: the objects' numbers, with a star at each split of a group.
  private func plan(_ items: [BatchPlan.Item], operations: Int = 4, bytes: Int = 1_000) -> [String]
  {
    let plan = BatchPlan(items, limits: BatchPlan.Limits(operations: operations, bytes: bytes))
    return plan.batches.map { batch in
      let numbers = batch.items.map { place in
        if case .object(let key) = items[place].subject { "\(key.key)" } else { "?" }
      }
      return numbers.joined(separator: " ") + (batch.isPartOfGroup ? " *" : "")
    }
  }

  @Test func `Groups that fit share a batch, and none is split for it`() {
    let items = [(1, 1), (2, 1), (3, 2), (4, 3), (5, 3)].map { item($0.0, group: Int64($0.1)) }
    #expect(plan(items) == ["1 2 3", "4 5"])
    #expect(plan(items, operations: 5) == ["1 2 3 4 5"])
    #expect(plan(items, bytes: 20) == ["1 2", "3", "4 5"])
    #expect(plan([]).isEmpty)
  }

  @Test func `A group that does not fit is split between items that do not reference each other`() {
    let items = [
      item(1, group: 1, to: [4]), item(2, group: 1), item(3, group: 1, to: [5]), item(4, group: 1),
      item(5, group: 1),
      item(6, group: 2),
    ]
    #expect(plan(items, operations: 3) == ["1 4 2 *", "3 5 *", "6"])
  }

  @Test func `A part that is too large is split in its order`() {
    let items = (1...5).map { item($0, group: 1, to: [1]) }
    #expect(plan(items, operations: 2) == ["1 2 *", "3 4 *", "5 *"])
    #expect(plan([item(1, group: 1, bytes: 5_000)]) == ["1 *"])
  }

  @Test
  func `Every item is sent once, within the limits, however groups reference each other`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<200 {
      let count = Int.random(in: 0...40, using: &generator)
      var group: Int64 = 1
      let items = (0..<count).map { number in
        if Int.random(in: 0..<3, using: &generator) == 0 { group += 1 }
        let others = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
          Int.random(in: 0..<count, using: &generator)
        }
        return item(
          number, group: group, bytes: Int.random(in: 1...60, using: &generator), to: others)
      }
      let plan = BatchPlan(items, limits: BatchPlan.Limits(operations: 5, bytes: 100))
      #expect(plan.batches.flatMap(\.items).sorted() == Array(0..<count), "\(generator)")
      for batch in plan.batches {
        #expect(batch.items.count <= 5, "\(generator)")
        #expect(
          batch.items.count == 1 || batch.items.reduce(0) { $0 + items[$1].bytes } <= 100,
          "\(generator)")
        for place in batch.items where !batch.isPartOfGroup {
          let whole = items.indices.filter { items[$0].group == items[place].group }
          #expect(Set(whole).isSubset(of: batch.items), "\(generator)")
        }
      }
    }
  }
}
