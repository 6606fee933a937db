import RecordStorage
import Testing

extension ConformanceCheck {
  /// Ranges are visited in order in both directions and stop on request.
  static let ranges: [Self] = [
    Self("entries are visited in the order of their bytes") { storage in
      try await storage.withEngine { engine in
        let keys = [
          [0x61], [0x61, 0x00], [0x61, 0x01], [0x61, 0xFF], [0x62], [0x7F], [0x80], [0xC3, 0xA4],
          [0xFF, 0xFF],
        ]
        .map { StorageKey(bytes: $0) }
        try await engine.write { store in
          for key in keys.reversed() { try store.set(key.bytes, for: key) }
        }
        #expect(try await engine.contents().map(\.key) == keys)
        #expect(
          try await engine.read { try $0.entries(in: .all, order: .descending) }.map(\.key)
            == keys.reversed())
      }
    },
    Self("a range includes its lower key and excludes its upper one") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<10)
        for (range, expected) in [
          (StorageRange(from: key(3), to: key(6)), [3, 4, 5]),
          (StorageRange(from: key(8), to: nil), [8, 9]),
          (StorageRange(from: key(3), to: key(3)), []),
          (StorageRange(from: key(6), to: key(3)), []),
          (StorageRange(from: key(3).successor, to: key(5).successor), [4, 5]),
          (StorageRange(from: key(10), to: nil), []),
        ] {
          let keys = expected.map { key($0) }
          #expect(try await engine.read { try $0.entries(in: range) }.map(\.key) == keys)
          #expect(
            try await engine.read { try $0.entries(in: range, order: .descending) }.map(\.key)
              == keys.reversed())
        }
      }
    },
    Self("a prefix holds exactly the keys that start with it") { storage in
      try await storage.withEngine { engine in
        try await engine.write { store in
          for texts in [["a"], ["a", "x"], ["a", "y"], ["ab"], ["b", "x"]] {
            var key = StorageKey(partition: "owner", keyspace: 1)
            for text in texts { key.append(text: text) }
            try store.set([1], for: key)
          }
          try store.set([1], for: key("a", "x", keyspace: 2))
        }
        let found = try await engine.read { try $0.entries(in: StorageRange(prefix: key("a"))) }
        #expect(found.map(\.key) == [key("a"), key("a", "x"), key("a", "y")])
        let after = try await engine.read {
          try $0.entries(in: StorageRange(prefix: key("a"), after: key("a", "x")))
        }
        #expect(after.map(\.key) == [key("a", "y")])
      }
    },
    Self("a limit or the visitor ends a visit") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<10, valueBytes: 400)
        for (order, keys) in [(StorageOrder.ascending, [0, 1, 2]), (.descending, [9, 8, 7])] {
          let limited = try await engine.read { try $0.entries(in: .all, order: order, limit: 3) }
          #expect(limited == keys.map { StorageEntry(key($0), bytes($0, count: 400)) })
          #expect(try await engine.read { try $0.entries(in: .all, order: order, limit: 0) } == [])
          let visits = try await engine.read { store in
            var visits = 0
            try store.visitEntries(in: .all, order: order) { _, _ in
              visits += 1
              return visits == 3 ? .stop : .proceed
            }
            return visits
          }
          #expect(visits == 3)
        }
      }
    },
    Self("a read throws its visitor's error, and the next read works") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<10)
        await #expect(throws: TestError.self) {
          try await engine.read { try $0.visitEntries(in: .all) { _, _ in throw TestError() } }
        }
        await #expect(throws: TestError.self) {
          try await engine.read { try $0.visitValues(of: [key(1)]) { _, _ in throw TestError() } }
        }
        #expect(try await engine.contents().count == 10)
      }
    },
    Self("visits nest") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<4, valueBytes: 300)
        let pairs = try await engine.read { store in
          var pairs: [Int] = []
          try store.visitEntries(in: .all) { _, value in
            let outer = value.count
            try store.visitEntries(in: .all, order: .descending) { _, value in
              pairs.append(outer + value.count)
              return .proceed
            }
            try store.visitValues(of: [key(2)]) { _, value in pairs.append(value?.count ?? 0) }
            return .proceed
          }
          return pairs
        }
        #expect(pairs == Array(repeating: [600, 600, 600, 600, 300], count: 4).flatMap { $0 })
      }
    },
    Self("a range is removed completely and nothing else") { storage in
      for valueBytes in [8, 700] {
        try await storage.withEngine { engine in
          try await engine.fill(0..<200, valueBytes: valueBytes)
          try await engine.write {
            try $0.removeEntries(in: StorageRange(from: key(50), to: key(150)))
          }
          #expect(
            try await engine.contents().map(\.key)
              == (Array(0..<50) + Array(150..<200)).map { key($0) })
          try await storage.expectNoIssues(in: engine)
          try await engine.write { try $0.removeEntries(in: StorageRange(from: key(160), to: nil)) }
          #expect(
            try await engine.contents().map(\.key)
              == (Array(0..<50) + Array(150..<160)).map { key($0) })
          try await engine.write { store in
            try store.removeEntries(in: StorageRange(from: key(9), to: key(3)))
            try store.removeEntries(in: .all)
          }
          #expect(try await engine.contents() == [])
        }
      }
    },
  ]
}
