import SQLiteStore
import TestSupport
import Testing

@Suite struct `Order numbers` {
  @Test(
    arguments: [
      ([], []),
      ([nil, nil, nil], [2048, 3072, 4096]),
      ([2048, nil, 3072], [2048, 2560, 3072]),
      ([nil, 2048], [1024, 2048]),
      ([2048, 3072, nil, nil], [2048, 3072, 4096, 5120]),
      // An old store's small consecutive numbers are kept as long as possible.
      ([1, 2, 3, nil], [1, 2, 3, 1027]),
      ([1, nil, 2], [2048, 3072, 4096]),
      ([nil, 1], [2048, 3072]),
      // Only a moved member changes.
      ([3072, 4096, 2048], [3072, 4096, 5120]),
      ([5120, 2048, 3072, 4096], [1024, 2048, 3072, 4096]),
      ([2048, nil, nil, nil, 2052], [2048, 2049, 2050, 2051, 2052]),
      ([2048, nil, nil, nil, nil, 2052], [2048, 3072, 4096, 5120, 6144, 7168]),
      // Meaningless numbers.
      ([0, -5, nil], [2048, 3072, 4096]), ([0], [2048]), ([-3, 5, nil], [2, 5, 1029]),
      ([7, 7, 7], [2, 4, 7]),
      ([Int64.max, nil], [2048, 3072]),
    ] as [([Int64?], [Int64])])
  func `Gaps are used, and numbering starts again if there are none`(
    present: [Int64?], assigned: [Int64]
  ) {
    #expect(OrderKeys.assigned(to: present) == assigned)
  }

  @Test func `Numbers rise, and as few as possible change`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<500 {
      let count = Int.random(in: 1...12, using: &random)
      var numbers = (0..<count).map { Int64(2048 + 1024 * $0) }.map(Optional.some)
      let moves = Int.random(in: 0...2, using: &random)
      for _ in 0..<moves {
        let number = numbers.remove(at: Int.random(in: 0..<count, using: &random))
        let isNew = Bool.random(using: &random)
        numbers.insert(isNew ? nil : number, at: Int.random(in: 0..<count, using: &random))
      }
      let assigned = OrderKeys.assigned(to: numbers)
      #expect(
        zip(assigned, assigned.dropFirst()).allSatisfy { $0 < $1 },
        "\(random) \(numbers) \(assigned)")
      let changed = zip(assigned, numbers).filter { $0 != $1 }.count
      #expect(changed <= moves, "\(random) \(numbers) \(assigned)")
    }
  }
}
