import RecordStorage
import Testing

extension ConformanceCheck {
  /// A write is atomic.
  static let transactions: [Self] = [
    Self("a transaction returns its body's result") { storage in
      try await storage.withEngine { engine in
        #expect(try await engine.write { _ in 42 } == 42)
        #expect(try await engine.read { _ in "text" } == "text")
        #expect(try await engine.read(in: "owner") { try $0.value(of: key("a")) } == nil)
        try await engine.write(in: "owner") { try $0.set([1], for: key("a")) }
        #expect(try await engine.read(in: "owner") { try $0.value(of: key("a")) } == [1])
      }
    },
    Self(
      "a derived result is computed once and returned, and not computed if the body throws"
    ) { storage in
      try await storage.withEngine { engine in
        var created: [Int] = []
        let given = try await engine.write(
          in: nil,
          making: {
            created.append($0); return "made of \($0)"
          }
        ) { store in
          try store.set([1], for: key(1))
          return 7
        }
        #expect(given == "made of 7")
        #expect(created == [7])
        await #expect(throws: TestError.self) {
          try await engine.write(in: nil, making: { created.append($0) }) { store -> Int in
            try store.set([2], for: key(1))
            throw TestError()
          }
        }
        #expect(created == [7])
        #expect(try await engine.read { try $0.value(of: key(1)) } == [1])
      }
    },
    Self("next to failing transactions, a derived result comes from its body's last run") {
      storage in
      try await storage.withEngine { engine in
        let sums = await withTaskGroup(of: Int.self) { group in
          for number in 0..<60 {
            group.addTask {
              var created = 0
              do {
                return try await engine.write(
                  in: nil,
                  making: {
                    created += 1; return created * 1_000 + $0
                  }
                ) { store in
                  try store.set(bytes(number, count: 20 * number), for: key(number))
                  if number % 3 == 0 { throw TestError() }
                  return number
                }
              } catch { return error is TestError && created == 0 ? -1 : -1_000 }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
          sums.sorted() == Array(repeating: -1, count: 20)
            + (0..<60).filter { $0 % 3 != 0 }.map { 1_000 + $0 })
        let contents = try await engine.contents()
        #expect(contents.map(\.key) == (0..<60).filter { $0 % 3 != 0 }.map { key($0) })
      }
    },
    Self("a write sees its own changes and removals") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<5, valueBytes: 300)
        try await engine.write { store in
          try store.set([9], for: key(1))
          try store.remove(key(2))
          try store.set([7], for: key(5))
          #expect(try store.values(of: [key(1), key(2), key(5)]) == [[9], nil, [7]])
          #expect(try store.entries(in: .all).map(\.key) == [0, 1, 3, 4, 5].map { key($0) })
          try store.set([8], for: key(2))
          #expect(
            try store.entries(in: .all, order: .descending, limit: 4).map(\.value.count) == [
              1, 300, 300, 1,
            ])
        }
      }
    },
    Self("a body that throws changes nothing") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<20, valueBytes: 300)
        let before = try await engine.contents()
        await #expect(throws: TestError.self) {
          try await engine.write { store in
            try store.removeEntries(in: StorageRange(from: key(5), to: key(9)))
            try store.set([1], for: key(1))
            try store.set(bytes(1, count: 5_000), for: key(30))
            throw TestError()
          }
        }
        #expect(try await engine.contents() == before)
        try await engine.write { try $0.set([1], for: key(1)) }
        #expect(try await engine.read { try $0.value(of: key(1)) } == [1])
      }
    },
    Self("concurrent writes do not share their failures") { storage in
      try await storage.withEngine { engine in
        let failures = await withTaskGroup(of: Bool.self) { group in
          for number in 0..<60 {
            group.addTask {
              do {
                try await engine.write { store in
                  try store.set(bytes(number, count: 20 * number), for: key(number))
                  if number % 3 == 0 { throw TestError() }
                }
                return false
              } catch { return error is TestError }
            }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 20)
        let expected = (0..<60).filter { $0 % 3 != 0 }.map {
          StorageEntry(key($0), bytes($0, count: 20 * $0))
        }
        let contents = try await engine.contents()
        #expect(contents == expected)
      }
    },
  ]
}
