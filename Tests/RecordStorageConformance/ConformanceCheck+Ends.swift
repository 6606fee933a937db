import Dispatch
import RecordStorage
import TestSupport
import Testing

extension ConformanceCheck {
  /// Cancellation and closing.
  static let ends: [Self] = [
    Self("a cancelled task neither reads nor writes") { storage in
      try await storage.withEngine { engine in
        let cancelled = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          await #expect(throws: CancellationError.self) {
            try await engine.write { try $0.set([1], for: key("a")) }
          }
          await #expect(throws: CancellationError.self) {
            try await engine.read { try $0.value(of: key("a")) }
          }
        }
        await cancelled.value
        let contents = try await engine.contents()
        #expect(contents == [])
      }
    },
    Self("a running body completes although its task is cancelled") { storage in
      try await storage.withEngine { engine in
        let (began, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writing = Task(executorPreference: BlockingExecutor()) {
          try await engine.write { store in
            began.signal()
            #expect(mayGoOn.waitPatiently())
            try store.set([1], for: key("a"))
          }
        }
        let cancelling = Task(executorPreference: BlockingExecutor()) {
          #expect(began.waitPatiently())
          writing.cancel()
          mayGoOn.signal()
        }
        await cancelling.value
        try await writing.value
        #expect(try await engine.contents().count == 1)
      }
    },
    Self("a closed store reports that it is closed") { storage in
      let engine = try await storage.open()
      try await engine.write { try $0.set([1], for: key("a")) }
      try await storage.expectNoIssues(in: engine)
      await engine.close()
      await engine.close()
      let read = await #expect(throws: StorageError.self) {
        try await engine.read { try $0.value(of: key("a")) }
      }
      #expect(read?.code == .closed)
      let write = await #expect(throws: StorageError.self) {
        try await engine.write { try $0.remove(key("a")) }
      }
      #expect(write?.code == .closed)
    },
    Self("writes while the store closes complete or are rejected, and none is lost") { storage in
      let engine = try await storage.open()
      let acknowledged = await withTaskGroup(of: Int?.self) { group in
        for number in 0..<40 {
          group.addTask {
            do {
              try await engine.write { try $0.set(bytes(number), for: key(number)) }
              return number
            } catch {
              #expect((error as? StorageError)?.code == .closed)
              return nil
            }
          }
        }
        group.addTask {
          await engine.close()
          return nil
        }
        return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
      }
      guard storage.isDurable else { return }
      try await storage.withEngine { engine in
        let keys = try await engine.contents().map(\.key)
        #expect(keys == acknowledged.sorted().map { key($0) })
      }
    },
  ]

  /// Durability.
  static let durability: [Self] = [
    Self("a reopened store has all written entries") { storage in
      guard storage.isDurable else { return }
      try await storage.withEngine { engine in
        try await engine.fill(0..<300, valueBytes: 700)
        try await engine.write {
          try $0.removeEntries(in: StorageRange(from: key(100), to: key(200)))
        }
      }
      try await storage.withEngine { engine in
        let expected = (Array(0..<100) + Array(200..<300)).map {
          StorageEntry(key($0), bytes($0, count: 700))
        }
        #expect(try await engine.contents() == expected)
        try await engine.fill(300..<310)
      }
      try await storage.withEngine { engine in
        let count = try await engine.contents().count
        #expect(count == 210)
      }
    }
  ]
}
