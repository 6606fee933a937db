import AssetStorage
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite("Backups of files", .endsAtAll)
struct AssetBackupTests {
  @Test func `A backup holds every file of the database's copy while records change`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let path = folder.path
      let engine = try SQLiteStorageEngine(folder: path + "/data")
      let library = try await Library(URL(fileURLWithPath: path + "/files"), engine: engine)
      for number in 0..<20 {
        #expect(try await library.save("r\(number)", try await library.upload("\(number)")))
      }
      let created = try await library.store.backUp(to: path + "/backup") {
        try await engine.backUp(to: path + "/backup.sqlite")
        for number in 0..<10 { #expect(try await library.delete("r\(number)")) }
        #expect(try await library.save("later", try await library.upload("later")))
        library.clock.pass(seconds: Library.graceSeconds)
        let collected = try await library.store.collect()
        #expect(collected == 0)
      }
      #expect((created.copied, created.issues) == (21, []))
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      #expect(try await library.store.collect() == 10)
      await engine.close()
      let restored = try await AssetStore.restore(from: path + "/backup", into: path + "/files2")
      #expect((restored.copied, restored.issues) == (21, []))
      let second = try await SQLiteStorageEngine.restore(
        from: path + "/backup.sqlite", into: path + "/data2")
      let copy = try await Library(URL(fileURLWithPath: path + "/files2"), engine: second)
      for number in 0..<20 {
        #expect(try await copy.contents("r\(number)") == Array("\(number)".utf8))
      }
      // The library removed the file that arrived after the database was copied.
      #expect(try copy.files.count == 20)
      #expect(try await copy.store.issues(isThorough: true) == [])
      await second.close()
    }
  }

  @Test func `A backup keeps the files that it still has to copy, however long it takes`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let pauses = ManualPauses()
      var options = AssetStore.Options()
      options.pause = { _ in try await pauses.pause() }
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine(), options: options)
      for name in ["a", "b"] {
        #expect(try await library.save(name, try await library.upload(name)))
      }
      let created = try await library.store.backUp(
        to: folder.appendingPathComponent("backup").path
      ) {
        await pauses.waitForPause()
        let wasDeleted = try await library.delete("a")
        #expect(wasDeleted)
        let keptSeconds = Library.receiptSeconds + Library.graceSeconds
        for _ in stride(from: 0, through: keptSeconds, by: 3_000) {
          library.clock.pass(seconds: 3_000)
          pauses.end()
          // The next pause begins after the pin was renewed.
          await pauses.waitForPause()
        }
        let collected = try await library.store.collect()
        #expect(collected == 0)
      }
      #expect((created.copied, created.issues) == (2, []))
      #expect(try await library.store.collect() == 1)
    }
  }

  @Test func `A backup names missing and damaged files and copies neither`() async throws {
    try await withTemporaryDirectory { folder in
      let files = folder.appendingPathComponent("files")
      let library = try await Library(files, engine: MemoryStorageEngine())
      let target = folder.appendingPathComponent("backup").path
      #expect(try await library.save("a", try await library.upload("a")))
      #expect(try await library.store.backUp(to: target) {}.copied == 1)
      let before = Set(try library.files)
      #expect(try await library.save("b", try await library.upload("b")))
      #expect(try await library.save("c", try await library.upload("c")))
      let added = Set(try library.files).subtracting(before).sorted()
      try Data("x".utf8).write(to: files.appendingPathComponent(added[0]))
      try FileManager.default.removeItem(at: files.appendingPathComponent(added[1]))
      let names = added.map { URL(fileURLWithPath: $0).lastPathComponent }
      let created = try await library.store.backUp(to: target) {}
      #expect((created.copied, created.kept) == (0, 1))
      #expect(Set(created.issues) == [.damaged(names[0]), .missing(names[1])])
      #expect(try FileManager.default.subpathsOfDirectory(atPath: target + "/incoming") == [])
    }
  }

  /// Passes a library with one file, its backup, a closure that damages the copy without changing
  /// its length, and the copy.
  private func withDamagedCopy(
    _ body: (Library, _ target: String, _ damage: () throws -> Void, _ copy: URL) async throws ->
      Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      let target = folder.appendingPathComponent("backup").path
      #expect(try await library.save("a", try await library.upload("sound")))
      #expect(try await library.store.backUp(to: target) {}.copied == 1)
      let copy = URL(fileURLWithPath: target).appendingPathComponent(try library.files[0])
      try await body(library, target, { try Data("rotten".utf8.prefix(5)).write(to: copy) }, copy)
    }
  }

  /// Each backup verifies one of 31 groups of files, chosen by the day.
  ///
  /// At each of these intervals, one of 31 successive backups verifies the file.
  @Test(arguments: [1, 2, 3, 7] as [Int64], [0, 1] as [Int64])
  func `Regular backups find a damaged file in their folder and copy it again`(
    days: Int64, firstDay: Int64
  ) async throws {
    try await withDamagedCopy { library, target, damage, copy in
      library.clock.pass(seconds: firstDay * 86_400)
      for _ in 0..<2 {
        try damage()
        var copied = 0
        for _ in 0..<31 {
          library.clock.pass(seconds: days * 86_400)
          let created = try await library.store.backUp(to: target) {}
          #expect(created.copied + created.kept == 1 && created.issues == [])
          copied += created.copied
        }
        #expect(copied == 1)
        #expect(try Data(contentsOf: copy) == Data("sound".utf8))
      }
    }
  }

  @Test func `A full backup finds damaged files at once`() async throws {
    try await withDamagedCopy { library, target, damage, copy in
      try damage()
      #expect(try await library.store.backUp(to: target, isThorough: true) {}.copied == 1)
      #expect(try Data(contentsOf: copy) == Data("sound".utf8))
      #expect(try await library.store.backUp(to: target, isThorough: true) {}.kept == 1)
      // An intact file in the backup is kept even if the server's file is damaged. A file that is
      // damaged in both places is reported.
      let own = URL(fileURLWithPath: library.store.path).appendingPathComponent(
        try library.files[0])
      try Data("wrong".utf8).write(to: own)
      let kept = try await library.store.backUp(to: target, isThorough: true) {}
      #expect((kept.copied, kept.kept, kept.issues) == (0, 1, []))
      try damage()
      let lost = try await library.store.backUp(to: target, isThorough: true) {}
      #expect((lost.copied, lost.kept, lost.issues) == (0, 0, [.damaged(own.lastPathComponent)]))
    }
  }

  @Test func `A backup with pruning removes unneeded files unless a needed file is missing`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      let target = folder.appendingPathComponent("backup").path
      for name in ["a", "b"] {
        #expect(try await library.save(name, try await library.upload(name)))
      }
      #expect(try await library.store.backUp(to: target) {}.copied == 2)
      #expect(try await library.delete("a"))
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      #expect(try await library.store.collect() == 1)
      #expect(try await library.store.backUp(to: target) {}.removed == 0)
      let copies = {
        try FileManager.default.subpathsOfDirectory(atPath: target + "/contents").filter {
          $0.contains("-")
        }
      }
      #expect(try copies().count == 2)
      let kept = folder.appendingPathComponent("files").appendingPathComponent(try library.files[0])
      try FileManager.default.removeItem(at: kept)
      let damaged = try await library.store.backUp(to: target, isPruning: true) {}
      #expect((damaged.removed, damaged.issues.count) == (0, 1))
      try Data("b".utf8).write(to: kept)
      let pruned = try await library.store.backUp(to: target, isPruning: true) {}
      #expect((pruned.copied, pruned.kept, pruned.removed) == (0, 1, 1))
      #expect(try copies().count == 1)
    }
  }

  @Test func `A failed backup does not block collection`() async throws {
    struct Failure: Error {}
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      _ = try await library.upload("a")
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      await #expect(throws: Failure.self) {
        try await library.store.backUp(to: folder.appendingPathComponent("backup").path) {
          #expect(try await library.store.collect() == 0)
          throw Failure()
        }
      }
      #expect(try await library.store.collect() == 1)
    }
  }

  @Test func `Only one backup at a time writes to a folder`() async throws {
    struct Failure: Error {}
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      let target = folder.appendingPathComponent("backup").path
      #expect(try await library.save("a", try await library.upload("a")))
      let created = try await library.store.backUp(to: target) {
        let error = await #expect(throws: AssetStorageError.self) {
          try await library.store.backUp(to: target) { Issue.record("The database is not copied.") }
        }
        #expect(error?.code == .owned && error?.message.contains("another backup") == true)
      }
      #expect((created.copied, created.issues) == (1, []))
      // A backup that fails in the middle does not block the next one.
      await #expect(throws: Failure.self) {
        try await library.store.backUp(to: target) { throw Failure() }
      }
      #expect(try await library.store.backUp(to: target) {}.kept == 1)
    }
  }

  @Test func `A killed backup or restore does not block the next one`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      #expect(try await library.save("a", try await library.upload("sound")))
      let placed = try library.files[0]
      let number = try #require(UInt64(placed.suffix(16), radix: 16))
      let (backup, restored) = (folder.path + "/backup", folder.path + "/restored")
      // Simulates processes that were killed while they copied the file.
      for target in [backup, restored] {
        let incoming = URL(fileURLWithPath: target + "/incoming")
        try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
        let part = String(number, radix: 16) + ".part"
        try Data("so".utf8).write(to: incoming.appendingPathComponent(part))
      }
      #expect(try await library.store.backUp(to: backup) {}.copied == 1)
      let report = try await AssetStore.restore(from: backup, into: restored)
      #expect(report.copied == 1)
      for target in [backup, restored] {
        #expect(FileManager.default.contents(atPath: "\(target)/\(placed)") == Data("sound".utf8))
      }
    }
  }

  /// Passes a library with one file, a backup that was killed before it placed its copy, and the
  /// copy's place.
  private func withUnplacedCopy(
    _ body: (Library, _ backup: String, _ placed: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(
        folder.appendingPathComponent("files"), engine: MemoryStorageEngine())
      let backup = folder.path + "/backup"
      #expect(try await library.save("a", try await library.upload("sound")))
      #expect(try await library.store.backUp(to: backup) {}.copied == 1)
      let placed = try library.files[0]
      let name = URL(fileURLWithPath: placed).lastPathComponent
      try FileManager.default.moveItem(
        atPath: "\(backup)/\(placed)", toPath: "\(backup)/incoming/\(name)")
      try await body(library, backup, placed)
    }
  }

  @Test func `A restore copies a file that a killed backup has not placed`() async throws {
    try await withUnplacedCopy { _, backup, placed in
      let restored = backup + "-restored"
      let report = try await AssetStore.restore(from: backup, into: restored)
      #expect(report.copied == 1)
      #expect(FileManager.default.contents(atPath: "\(restored)/\(placed)") == Data("sound".utf8))
    }
  }

  @Test func `A backup places a file that a killed backup has not placed`() async throws {
    try await withUnplacedCopy { library, backup, placed in
      let report = try await library.store.backUp(to: backup) {}
      #expect(report.kept == 1)
      #expect(FileManager.default.contents(atPath: "\(backup)/\(placed)") == Data("sound".utf8))
    }
  }

  @Test func `A restoration replaces a damaged file that has the right length`() async throws {
    try await withTemporaryDirectory { folder in
      let files = folder.appendingPathComponent("files")
      let engine = MemoryStorageEngine()
      let target = folder.appendingPathComponent("backup").path
      do {
        let library = try await Library(files, engine: engine)
        for name in ["a", "b"] {
          #expect(try await library.save(name, try await library.upload(name)))
        }
        #expect(try await library.store.backUp(to: target) {}.copied == 2)
        try Data("x".utf8).write(to: files.appendingPathComponent(try library.files[0]))
        #expect(try await library.store.issues(isThorough: true).count == 1)
        library.store.close()
      }
      let restored = try await AssetStore.restore(from: target, into: files.path)
      #expect((restored.copied, restored.kept, restored.issues) == (1, 1, []))
      let library = try await Library(files, engine: engine)
      #expect(try await library.store.issues(isThorough: true) == [])
    }
  }

  @Test func `A backup is not restored into a folder that a server uses`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      let error = await #expect(throws: AssetStorageError.self) {
        try await AssetStore.restore(from: folder.path + "-backup", into: folder.path)
      }
      #expect(error?.code == .owned)
      #expect(library.store.path == folder.path)
    }
  }
}

/// Pauses that a test ends.
private struct ManualPauses: Sendable {
  private let beginnings = AsyncStream<Void>.makeStream()
  private let ends = AsyncStream<Void>.makeStream()

  func pause() async throws {
    beginnings.continuation.yield()
    _ = await ends.stream.first { _ in true }
    try Task.checkCancellation()
  }

  /// Waits until the next pause begins.
  func waitForPause() async { _ = await beginnings.stream.first { _ in true } }

  /// Ends the current pause.
  func end() { ends.continuation.yield() }
}
