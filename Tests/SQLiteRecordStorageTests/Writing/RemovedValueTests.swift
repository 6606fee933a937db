import Foundation
import RecordStorage
import SQLiteRecordStorage
import Testing

@Suite struct `Removed values` {
  /// Short values are stored with their keys, long ones in a separate table.
  @Test(arguments: [100, 1_000, 20_000])
  func `Removed values are overwritten in the file`(bytes: Int) async throws {
    let folder = try TestFolder()
    @Sendable func value(_ word: String) -> [UInt8] {
      Array(String(repeating: word, count: bytes / word.utf8.count).utf8)
    }
    let words = ["kept-0", "gone-1", "gone-2", "gone-3", "kept-4"]
    try await withEngine(in: folder.path) { engine in
      try await engine.write { store in
        for (number, word) in words.enumerated() { try store.set(value(word), for: key(number)) }
      }
    }
    // The store is opened again, so that the values are in the file and not only in the log.
    try await withEngine(in: folder.path) { engine in
      try await engine.write { store in
        try store.remove(key(1))
        try store.set(value("new-22"), for: key(2))
        try store.removeEntries(in: StorageRange(from: key(3), to: key(4)))
      }
      #expect(try await engine.issues(isThorough: true) == [])
    }
    let file = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    for word in words + ["new-22"] {
      #expect((file.range(of: Data(word.utf8)) != nil) == !word.hasPrefix("gone"), "\(word)")
    }
  }

  @Test func `Removed entries lose their long values in every kind of removal`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      let removals: [@Sendable (any StorageWriting) throws -> Void] = [
        { try $0.removeEntries(in: .all) },
        { try $0.removeEntries(in: StorageRange(from: key(5), to: key(15))) },
        { try $0.removeEntries(in: StorageRange(from: key(5), to: nil)) },
        { try $0.remove(key(3)) },
        { try $0.set([1], for: key(3)) },
        { try $0.set(Array(repeating: 2, count: 2_000), for: key(3)) },
      ]
      for (number, removal) in removals.enumerated() {
        try await engine.fill(0..<20, valueBytes: 1_000)
        try await engine.write { try removal($0) }
        #expect(try await engine.issues(isThorough: true) == [], "\(number)")
      }
    }
  }
}
