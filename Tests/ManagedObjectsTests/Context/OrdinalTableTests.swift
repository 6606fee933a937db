import ManagedObjects
import TestSupport
import Testing

@Suite struct OrdinalTableTests {
  /// The table's contents as a dictionary.
  private func contents(_ table: OrdinalTable<Int>) -> [Int: Int] {
    Dictionary(table.map { ($0.ordinal, $0.value) }, uniquingKeysWith: { _, _ in -1 })
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `An ordinal table behaves like a dictionary`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = OrdinalTable<Int>()
    var expected: [Int: Int] = [:]
    for step in 0..<2000 {
      let ordinal = Int.random(in: 0..<4, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let kept = [ordinal, (ordinal + 1) % 4]
        table.keepOnly(kept)
        expected = expected.filter { kept.contains($0.key) }
      case 1...3:
        table[ordinal] = nil
        expected[ordinal] = nil
      default:
        table[ordinal] = step
        expected[ordinal] = step
      }
      #expect(contents(table) == expected, "seed \(seed), step \(step)")
      #expect(table.ordinals == expected.keys.sorted(), "seed \(seed), step \(step)")
      #expect(table.isEmpty == expected.isEmpty, "seed \(seed), step \(step)")
      for ordinal in 0..<5 {
        #expect(table[ordinal] == expected[ordinal], "seed \(seed), step \(step)")
      }
    }
  }
}
