import RecordStorage
import Testing

extension ConformanceCheck {
  /// Values of every size are kept, replaced and removed.
  static let entries: [Self] = [
    Self("a key has no value at first, then each value that is set") { storage in
      try await storage.withEngine { engine in
        #expect(try await engine.read { try $0.value(of: key("a")) } == nil)
        try await engine.write { try $0.set([1, 2], for: key("a")) }
        #expect(try await engine.read { try $0.value(of: key("a")) } == [1, 2])
        try await engine.write { try $0.set([3], for: key("a")) }
        #expect(try await engine.read { try $0.value(of: key("a")) } == [3])
      }
    },
    Self("a removed key has no value, and a missing one can be removed") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<3)
        try await engine.write { store in
          try store.remove(key(1))
          try store.remove(key(7))
        }
        #expect(try await engine.contents().map(\.key) == [key(0), key(2)])
      }
    },
    Self("an empty value is a value") { storage in
      try await storage.withEngine { engine in
        try await engine.write { try $0.set([], for: key("empty")) }
        #expect(try await engine.read { try $0.value(of: key("empty")) } == [])
        #expect(try await engine.contents() == [StorageEntry(key("empty"), [])])
      }
    },
    Self("values of every size replace values of every size") { storage in
      let sizes = [0, 1, 255, 256, 257, 1_000, 1_024, 1_025, 4_096, 70_000]
      try await storage.withEngine { engine in
        for former in sizes {
          for size in sizes {
            try await engine.write { store in
              try store.set(bytes(1, count: former), for: key("a", "x"))
              try store.set(bytes(2, count: size), for: key("a", "x"))
              try store.set(bytes(3, count: size), for: key("a", "y"))
            }
            #expect(
              try await engine.contents() == [
                StorageEntry(key("a", "x"), bytes(2, count: size)),
                StorageEntry(key("a", "y"), bytes(3, count: size)),
              ], "\(size) bytes in the place of \(former)")
          }
        }
        try await engine.write { try $0.removeEntries(in: .all) }
        #expect(try await engine.contents() == [])
      }
    },
    Self("values are returned in the requested order, with missing and repeated ones") {
      storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<10, valueBytes: 300)
        let keys = [7, 12, 0, 7, 9].map { key($0) }
        let values = try await engine.read { try $0.values(of: keys) }
        #expect(
          values == [
            bytes(7, count: 300), nil, bytes(0, count: 300), bytes(7, count: 300),
            bytes(9, count: 300),
          ])
        #expect(try await engine.read { try $0.values(of: []) } == [])
      }
    },
    Self("any bytes are a valid key, from none to the maximum") { storage in
      let keys = [[], [0], [0, 0], [0xFF], Array(repeating: 0xFF, count: Limits.keyBytes)].map {
        StorageKey(bytes: $0)
      }
      try await storage.withEngine { engine in
        try await engine.write { store in
          for (number, key) in keys.enumerated() { try store.set(bytes(number), for: key) }
        }
        #expect(
          try await engine.contents() == keys.enumerated().map { StorageEntry($1, bytes($0)) })
      }
    },
    Self("keys and values over the limit are rejected, and the transaction may continue") {
      storage in
      try await storage.withEngine { engine in
        try await engine.write { store in
          let longKey = StorageKey(bytes: Array(repeating: 1, count: Limits.keyBytes + 1))
          let forKey = #expect(throws: StorageError.self) { try store.set([1], for: longKey) }
          #expect(forKey?.code == .tooLong)
          let longValue = Array(repeating: UInt8(1), count: Limits.valueBytes + 1)
          let forValue = #expect(throws: StorageError.self) {
            try store.set(longValue, for: key("a"))
          }
          #expect(forValue?.code == .tooLong)
          try store.set([1], for: key("b"))
        }
        #expect(try await engine.contents().map(\.key) == [key("b")])
      }
    },
    Self("the longest value is kept") { storage in
      try await storage.withEngine { engine in
        let value = [4] + Array(repeating: UInt8(5), count: Limits.valueBytes - 2) + [6]
        try await engine.write { try $0.set(value, for: key("a")) }
        #expect(try await engine.read { try $0.value(of: key("a")) } == value)
      }
    },
  ]
}
