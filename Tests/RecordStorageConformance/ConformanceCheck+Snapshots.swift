import Dispatch
import RecordStorage
import TestSupport
import Testing

extension ConformanceCheck {
  /// A read sees one state and no partial write.
  static let snapshots: [Self] = [
    Self("a read sees the state at its start during other writes") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<100, valueBytes: 500)
        let (began, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reading = Task(executorPreference: BlockingExecutor()) {
          try await engine.read { store in
            let before = try store.entries(in: .all)
            began.signal()
            #expect(mayGoOn.waitPatiently())
            return (before, try store.entries(in: .all), try store.value(of: key(200)))
          }
        }
        let writing = Task(executorPreference: BlockingExecutor()) {
          #expect(began.waitPatiently())
          try await engine.write { store in
            try store.removeEntries(in: StorageRange(from: key(10), to: key(20)))
            try store.set([1], for: key(50))
            try store.set([2], for: key(200))
          }
          #expect(try await engine.read { try $0.entries(in: .all) }.count == 91)
          mayGoOn.signal()
        }
        try await writing.value
        let (before, after, added) = try await reading.value
        #expect(before.count == 100)
        #expect(after == before)
        #expect(added == nil)
      }
    },
    Self("an unfinished write is invisible to others") { storage in
      try await storage.withEngine { engine in
        try await engine.fill(0..<10)
        let (began, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writing = Task(executorPreference: BlockingExecutor()) {
          try await engine.write { store in
            try store.set([1], for: key(0))
            try store.remove(key(9))
            began.signal()
            #expect(mayGoOn.waitPatiently())
          }
        }
        let reading = Task(executorPreference: BlockingExecutor()) {
          #expect(began.waitPatiently())
          defer { mayGoOn.signal() }
          return try await engine.contents()
        }
        #expect(try await reading.value == (0..<10).map { StorageEntry(key($0), bytes($0)) })
        try await writing.value
        #expect(try await engine.contents().count == 9)
      }
    },
  ]
}
