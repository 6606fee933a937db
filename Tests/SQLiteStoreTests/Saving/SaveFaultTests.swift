import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Failed saves` {
  @Test func `A failure in a trigger leaves nothing`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder, keepsHistory: true)
      try Changes(sample).insert("Tag", 1, ["label": "a"]).insert("Book", 1).saveAll()
      try sample.outsider().execute(
        """
        CREATE TRIGGER angry AFTER UPDATE OF ZLABEL ON ZTAG WHEN NEW.ZLABEL = 'boom'
        BEGIN SELECT RAISE(ABORT, 'no such label'); END
        """)
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample).insert("Tag", 2).delete("Book", 1, version: 1)
          .update("Tag", 1, version: 1, ["label": "boom"]).save()
      }
      #expect(error.code == .sqlite)
      #expect(error.message.contains("no such label"))
      #expect(try sample.rows("Tag", 1, 2) == ["Tag 1 v1 label=a"])
      #expect(try sample.rows("Book", 1) == ["Book 1 v1"])
      #expect(try sample.store.latestHistoryNumber() == 1)
      try Changes(sample).update("Tag", 1, version: 1, ["label": "fine"]).saveAll()
    }
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `A full disk leaves nothing, and the next save works`(journal: JournalMode) throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.posts(), in: folder, journal: journal)
      try Changes(sample).insert("Post", 1, ["title": "kept"]).saveAll()
      let pages = try sample.outsider().get(.pageCount)
      try sample.setMaximumPages(pages + 4)
      let body = String(repeating: "x", count: 3000)
      let changes = Changes(sample)
      for key in 2...100 { try changes.insert("Post", Int64(key), ["body": body]) }
      let error = try #require(throws: StoreError.self) { _ = try changes.save() }
      #expect(error.code == .outOfSpace)
      #expect(error.code.cocoaCode == 640)
      #expect(try sample.rows("Post", 1, 2) == ["Post 1 v1 title=kept"])
      try sample.setMaximumPages(100_000)
      _ = try changes.saveAll()
      #expect(try sample.outsider().value("SELECT count(*) FROM ZPOST") == 100)
      #expect(try sample.outsider().issues(.full) == [])
    }
  }

  @Test func `Reading a damaged file reports the damage`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.posts(), in: folder, journal: .delete)
      let changes = Changes(sample)
      for key in 1...2000 { try changes.insert("Post", Int64(key), ["title": "title \(key)"]) }
      try changes.saveAll()
      try sample.store.close()
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: #require(sample.path)))
      let size = try file.seekToEnd()
      try file.seek(toOffset: size - 4096 * 10)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4096 * 10))
      try file.close()
      let again = try SampleStore(SampleModels.posts(), in: folder, journal: .delete)
      let error = try #require(throws: StoreError.self) {
        try again.store.rows(withKeys: (1...2000).map { Int64($0) }, layout: again["Post"])
      }
      #expect(error.code == .notAStore)
    }
  }
}

@Suite struct `Processes killed during a save` {
  @Test(arguments: [JournalMode.wal, .delete])
  func `The state before the save remains, with all files`(journal: JournalMode) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let large = Data(repeating: 7, count: Limits.externalDataBytes)
    let before = try SampleStore(
      SampleModels.types(), in: folder, journal: journal, keepsHistory: true)
    try Changes(before).insert("Everything", 1, ["photo": BinaryValue(large), "string": "before"])
      .saveAll()
    try before.store.close()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = folder.path as String, journal = journal.rawValue as String] in
      let mode = try #require(JournalMode(rawValue: journal))
      let sample = try SampleStore(
        SampleModels.types(), in: URL(fileURLWithPath: path), journal: mode, keepsHistory: true)
      let replacement = Data(repeating: 8, count: Limits.externalDataBytes)
      let changes = try Changes(sample).update(
        "Everything", 1, version: 1, ["photo": BinaryValue(replacement), "string": "half"])
      for key in 2...2000 {
        try changes.insert("Everything", Int64(key), ["string": String(repeating: "x", count: 900)])
      }
      // The last statement before the commit.
      sample.statements.setHook {
        if $0.hasPrefix("INSERT INTO Z_PRIMARYKEY") { kill(getpid(), SIGKILL) }
      }
      _ = try changes.save()
    }
    let after = try SampleStore(
      SampleModels.types(), in: folder, journal: journal, keepsHistory: true)
    let rows = try after.store.rows(withKeys: [1, 2], layout: after["Everything"])
    #expect(rows.rows.count == 1)
    let layout = after["Everything"]
    let value = layout.value(
      ofAttribute: try #require(layout.ordinal(of: "photo")), in: rows.rows[0].row)
    #expect(try (value as? ExternalValue)?.data() == large)
    #expect(try after.store.latestHistoryNumber() == 1)
    #expect(try after.outsider().issues(.full) == [])
  }
}
