import RecordStorage
import TestSupport
import Testing

extension ConformanceCheck {
  /// An engine reports whether its store was restored.
  static let restorations: [Self] = [
    Self("a store that was never restored reports no restoration") { storage in
      try await storage.withEngine { engine in
        try await engine.write { try $0.set([1], for: key("a")) }
        #expect(!engine.isRestored)
        try await engine.endRestoration()
        #expect(!engine.isRestored)
      }
    },
    Self(
      "a restored store has the backup's entries, and reports the restoration until it is completed"
    ) {
      storage in
      try await storage.withEngine { engine in
        try await engine.write { try $0.set([1], for: key("a")) }
        guard let restored = try await storage.restored(from: engine) else { return }
        try await engine.write { try $0.set([2], for: key("a")) }
        #expect(!engine.isRestored && restored.isRestored)
        #expect(try await restored.contents().map(\.value) == [[1]])
        try await restored.write { try $0.set([3], for: key("a")) }
        #expect(restored.isRestored)
        try await restored.endRestoration()
        #expect(!restored.isRestored)
        #expect(try await restored.contents().map(\.value) == [[3]])
        #expect(try await engine.contents().map(\.value) == [[2]])
        try await storage.expectNoIssues(in: restored)
        await restored.close()
      }
    },
  ]
}
