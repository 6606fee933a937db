import RecordStorage
import Testing

extension ConformanceCheck {
  /// Writes are serializable.
  static let concurrency: [Self] = [
    Self("concurrent increments lose nothing") { storage in
      try await storage.withEngine { engine in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<16 {
            group.addTask {
              for _ in 0..<25 {
                try await engine.write {
                  try $0.setNumber(try $0.number(of: key("counter")) + 1, for: key("counter"))
                }
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(try await engine.read { try $0.number(of: key("counter")) } == 16 * 25)
      }
    },
    Self("positions become visible in order") { storage in
      try await storage.withEngine { engine in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for writer in 0..<8 {
            group.addTask {
              for _ in 0..<20 {
                try await engine.write { store in
                  let position = try store.number(of: key("next", keyspace: 2))
                  try store.setNumber(writer, for: key(position))
                  try store.setNumber(position + 1, for: key("next", keyspace: 2))
                }
              }
            }
          }
          group.addTask { try await follow(engine, until: 160) }
          try await group.waitForAll()
        }
      }
    },
    Self("readers never see a partial write") { storage in
      try await storage.withEngine { engine in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for writer in 0..<4 {
            group.addTask {
              for round in 0..<30 {
                try await engine.write { store in
                  for place in 0..<10 {
                    try store.setNumber(writer * 1_000 + round, for: key(place))
                  }
                }
              }
            }
          }
          for _ in 0..<4 {
            group.addTask {
              for _ in 0..<30 {
                let seen = try await engine.read { try $0.entries(in: .all).map(\.value) }
                #expect([0, 10].contains(seen.count) && Set(seen).count <= 1)
              }
            }
          }
          try await group.waitForAll()
        }
      }
    },
    Self("a read sees every write that was acknowledged before it") { storage in
      try await storage.withEngine { engine in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for writer in 0..<8 {
            group.addTask {
              for round in 1...20 {
                try await engine.write { try $0.setNumber(round, for: key(writer)) }
                #expect(try await engine.read { try $0.number(of: key(writer)) } == round)
              }
            }
          }
          try await group.waitForAll()
        }
      }
    },
  ]

  /// Repeatedly reads after the last known position.
  ///
  /// The positions that it finds have no gaps, so none becomes visible before an earlier one.
  private static func follow(_ engine: any StorageEngine, until end: Int) async throws {
    var known = 0
    while known < end {
      let from = known
      let found = try await engine.read { store in
        try store.entries(in: StorageRange(from: key(from), to: key(end))).map(\.key)
      }
      #expect(found == (from..<from + found.count).map { key($0) })
      known += found.count
      try Task.checkCancellation()
      if found.isEmpty { await Task.yield() }
    }
  }
}
