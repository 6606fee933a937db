import RecordStorage
import RecordStorageConformance
import TestSupport
import Testing

@Suite(.endsAtAll, .tags(.threads)) struct `The storage in memory` {
  @Test(arguments: ConformanceCheck.all)
  func `It conforms to the common checks`(check: ConformanceCheck) async throws {
    try await check.run(
      on: StorageUnderTest(
        isDurable: false,
        restore: { try MemoryStorageEngine(restoring: try #require($0 as? MemoryStorageEngine)) },
        issues: { try #require($0 as? MemoryStorageEngine).checkInvariants() },
        open: { MemoryStorageEngine() }))
  }

  @Test func `Invariants and entries survive growth and shrinking`() async throws {
    var random = SeededGenerator.forTest()
    let engine = MemoryStorageEngine()
    var expected: [Int: [UInt8]] = [:]
    for (round, share) in [90, 50, 70, 10, 60, 0].enumerated() {
      let operations = (0..<3_000).map { _ in
        (
          number: Int.random(in: 0..<2_500, using: &random),
          isSet: Int.random(in: 0..<100, using: &random) < share
        )
      }
      for (number, isSet) in operations { expected[number] = isSet ? [UInt8(round)] : nil }
      try await engine.write { store in
        for (number, isSet) in operations {
          if isSet {
            try store.set([UInt8(round)], for: Self.key(number))
          } else {
            try store.remove(Self.key(number))
          }
        }
      }
      #expect(engine.checkInvariants() == [], "\(random), round \(round)")
      let found = try await engine.read { try $0.entries(in: .all) }
      let sorted = expected.sorted { $0.key < $1.key }.map {
        StorageEntry(key: Self.key($0.key), value: $0.value)
      }
      #expect(found == sorted, "\(random), round \(round)")
    }
    let shuffled = (0..<2_500).shuffled(using: &random)
    try await engine.write { store in
      for number in shuffled { try store.remove(Self.key(number)) }
    }
    #expect(engine.checkInvariants() == [], "\(random)")
    #expect(try await engine.read { try $0.entries(in: .all) } == [])
  }

  @Test func `Invariants hold for any order of keys`() async throws {
    for numbers in [Array(0..<3_000), Array((0..<3_000).reversed())] {
      let engine = MemoryStorageEngine()
      try await engine.write { store in
        for number in numbers { try store.set([1], for: Self.key(number)) }
      }
      #expect(engine.checkInvariants() == [])
      for number in numbers.prefix(2_900) where number % 7 != 0 {
        try await engine.write { try $0.remove(Self.key(number)) }
        if number % 100 == 1 { #expect(engine.checkInvariants() == []) }
      }
      #expect(engine.checkInvariants() == [])
    }
  }

  @Test func `A visitor that writes stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let engine = MemoryStorageEngine()
      try await engine.write { store in
        try store.set([1], for: StorageKey(bytes: [1]))
        try store.visitEntries(in: .all) { _, _ in
          try store.set([2], for: StorageKey(bytes: [2]))
          return .proceed
        }
      }
    }
    let reported = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reported.contains("A visitor may read"))
  }

  private static func key(_ number: Int) -> StorageKey {
    var key = StorageKey(bytes: [])
    key.append(unsigned: UInt64(number))
    return key
  }
}
