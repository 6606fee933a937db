import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite(.endsAtAll) struct `Backups` {
  @Test func `A backup holds one state of a store that is being written`() async throws {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    try await withEngine(in: folder.path + "/data") { engine in
      try await engine.fill(0..<3_000, valueBytes: 1_000)
      async let copying: Void = engine.backUp(to: backup)
      // Each write moves one entry, so that every state has the same number of them.
      for number in 0..<100 {
        try await engine.write { store in
          try store.remove(key(number))
          try store.set(Array(repeating: 1, count: 900), for: key(3_000 + number))
        }
      }
      try await copying
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "backup.sqlite", "data",
      ])
    try await SQLiteStorageEngine.restore(from: backup, into: folder.path + "/restored").close()
    try await withEngine(in: folder.path + "/restored") { engine in
      let keys = try await engine.keys()
      let first = try #require((0...100).first { keys.first == key($0) })
      #expect(keys == (first..<first + 3_000).map { key($0) })
      #expect(try await engine.issues(isThorough: true) == [])
      try await engine.fill(9_000..<9_001)
    }
  }

  @Test func `A backup replaces no files and does not start in a cancelled task`()
    async throws
  {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    try await withEngine(in: folder.path + "/data") { engine in
      try await engine.fill(0..<10)
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: CancellationError.self) { try await engine.backUp(to: backup) }
      }
      await cancelled.value
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
      try await engine.backUp(to: backup)
      try await storageError(.exists) { try await engine.backUp(to: backup) }
      try await storageError(.unavailable) {
        try await engine.backUp(to: folder.path + "/no/such/folder/x")
      }
    }
  }

  /// The copy is larger than one step, so it checks for cancellation while it copies.
  @Test func `A backup cancelled while copying leaves nothing`() async throws {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    try await withEngine(in: folder.path + "/data") { engine in
      for number in 0..<30 { try await engine.fill(number..<number + 1, valueBytes: 1 << 20) }
      let copying = Task { try await engine.backUp(to: backup) }
      let hasBegun = {
        ["", ".unfinished"].contains { FileManager.default.fileExists(atPath: backup + $0) }
      }
      try await yields(while: !hasBegun())
      copying.cancel()
      switch await copying.result {
      case .failure(let error):
        #expect(error is CancellationError, "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
      case .success:
        // The copy was faster than the cancellation, and is complete.
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
            "backup.sqlite", "data",
          ])
        #expect(
          try await SQLiteStorageEngine.readBackup(backup) { try $0.entries(in: .all).count } == 30)
      }
    }
  }

  @Test func `A backup replaces a dead server's unfinished one`() async throws {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    for rest in [".unfinished", ".unfinished-journal"] {
      try Data("half of a backup".utf8).write(to: URL(fileURLWithPath: backup + rest))
    }
    try await withEngine(in: folder.path + "/data") { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "backup.sqlite", "data",
      ])
    let count = try await SQLiteStorageEngine.readBackup(backup) { try $0.entries(in: .all).count }
    #expect(count == 10)
  }

  /// The file's name is durable only after its folder was synced, which requires opening the
  /// folder.
  @Test func `A backup fails if its folder cannot be synced`() async throws {
    let folder = try TestFolder()
    let (data, closed) = (folder.path + "/data", folder.path + "/closed")
    for (path, mode) in [(folder.path, 0o755), (data, 0o777), (closed, 0o333)] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.setAttributes(
        [.posixPermissions: NSNumber(value: mode)], ofItemAtPath: path)
    }
    await #expect(processExitsWith: .success) {
      [data = data as String, closed = closed as String] in
      try giveUpRights()
      try await withEngine(in: data) { engine in
        try await engine.fill(0..<10)
        let error = try await #require(throws: StorageError.self) {
          try await engine.backUp(to: closed + "/backup")
        }
        try #require(error.code == .unavailable && error.place == closed, "\(error)")
      }
    }
  }

  @Test func `A backup can be read without a restoration`() async throws {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    try await withEngine(in: folder.path + "/data") { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: backup))
    // The header's versions for writing and reading; 2 would demand a log.
    #expect(Array(before[18...19]) == [1, 1])
    let (keys, files) = try await SQLiteStorageEngine.readBackup(backup) { [path = folder.path] in
      let keys = try $0.entries(in: .all).map(\.key)
      return (keys, try FileManager.default.contentsOfDirectory(atPath: path).sorted())
    }
    #expect(keys == (0..<10).map { key($0) })
    #expect(files == ["backup.sqlite", "data"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == before)
    try await storageError(.missing) {
      _ = try await SQLiteStorageEngine.readBackup(backup + "2") { _ in 0 }
    }
    try Connection(.file(backup)).run("DELETE FROM long_values WHERE id = 3")
    try await storageError(.damaged) {
      _ = try await SQLiteStorageEngine.readBackup(backup) { _ in 0 }
    }
    try Data().write(to: URL(fileURLWithPath: backup))
    try await storageError(.foreign) {
      _ = try await SQLiteStorageEngine.readBackup(backup) { _ in 0 }
    }
  }

  @Test(arguments: ["foreign", "newer"])
  func `A restoration replaces only stores of a known version`(kind: String) async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await withEngine(in: data) { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    let path = data + "/records.sqlite"
    if kind == "foreign" { try FileManager.default.removeItem(atPath: path) }
    let other = try Connection(.file(path))
    try other.execute(
      kind == "foreign"
        ? "CREATE TABLE notes(x); INSERT INTO notes VALUES (1)" : "PRAGMA user_version = 1000")
    try other.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try await storageError(kind == "foreign" ? .foreign : .newer) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: data + "/restored"))
  }

  @Test func `A restoration replaces a store only on request and completely`() async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await withEngine(in: data) { engine in
      try await engine.fill(0..<500, valueBytes: 1_000)
      try await engine.backUp(to: backup)
      try await engine.write { try $0.removeEntries(in: .all) }
      try await engine.fill(1_000..<1_003)
      try await storageError(.owned) {
        _ = try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true)
      }
    }
    try await storageError(.exists) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    #expect(try await keys(in: data).count == 3)
    try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true).close()
    try await withEngine(in: data) { engine in
      #expect(try await engine.keys() == (0..<500).map { key($0) })
      #expect(try await engine.issues(isThorough: true) == [])
      try await engine.fill(0..<1)
    }
  }

  /// A server that was killed leaves its log, and an operator removes the database only.
  @Test func `A restoration ignores the log of a missing store`() async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await withEngine(in: folder.path + "/other") { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try await withEngine(in: folder.path + "/killed") { engine in
      try await engine.fill(100..<120)
      for file in ["-wal", "-shm"] {
        try FileManager.default.copyItem(
          atPath: folder.path + "/killed/records.sqlite" + file,
          toPath: data + "/records.sqlite" + file)
      }
    }
    let log = try FileManager.default.attributesOfItem(atPath: data + "/records.sqlite-wal")
    #expect((log[.size] as? Int ?? 0) > 0)
    let blockingFolder = data + "/records.sqlite.unfinished"
    try FileManager.default.createDirectory(
      atPath: blockingFolder + "/x", withIntermediateDirectories: true)
    await #expect(throws: StorageError.self) {
      try await SQLiteStorageEngine.restore(from: backup, into: data).close()
    }
    // The operator may still put the database back.
    #expect(FileManager.default.fileExists(atPath: data + "/records.sqlite-wal"))
    try FileManager.default.removeItem(atPath: blockingFolder)
    try await SQLiteStorageEngine.restore(from: backup, into: data).close()
    try await withEngine(in: data) { engine in
      let (keys, issues) = (try await engine.keys(), try await engine.issues(isThorough: true))
      #expect(keys == (0..<10).map { key($0) })
      #expect(issues == [])
    }
  }

  @Test func `Missing and damaged backups are not restored`() async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await storageError(.missing) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    try Data(String(repeating: "notes ", count: 200).utf8).write(to: URL(fileURLWithPath: backup))
    try await storageError(.foreign) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    try FileManager.default.removeItem(atPath: backup)
    try await withEngine(in: folder.path + "/other") { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    try Connection(.file(backup)).run("DELETE FROM long_values WHERE id = 3")
    try await storageError(.damaged) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    try Connection(.file(backup)).run("PRAGMA user_version = 1000")
    try await storageError(.newer) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    #expect(!FileManager.default.fileExists(atPath: data + "/records.sqlite"))
  }

  @Test func `A restoration leaves a note until its follow-up work is done`()
    async throws
  {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await withEngine(in: data) { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    func isNoted() -> Bool { FileManager.default.fileExists(atPath: data + "/restored") }
    try await storageError(.exists) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: data)
    }
    #expect(!isNoted())
    let restored = try await SQLiteStorageEngine.restore(
      from: backup, into: data, isReplacing: true)
    // No other process can open the store before its history starts.
    try await storageError(.owned) { _ = try SQLiteStorageEngine(folder: data) }
    #expect(restored.isRestored && isNoted())
    await restored.close()
    try await storageError(.restored) {
      _ = try SQLiteStorageEngine(folder: data, options: .init(role: .tool))
    }
    // A later restoration that fails does not affect the earlier one.
    try Data("notes".utf8).write(to: URL(fileURLWithPath: folder.path + "/none"))
    try await storageError(.foreign) {
      _ = try await SQLiteStorageEngine.restore(
        from: folder.path + "/none", into: data, isReplacing: true)
    }
    try await withEngine(in: data) { engine in
      #expect(engine.isRestored)
      try await engine.endRestoration()
      try await engine.endRestoration()
      #expect(!engine.isRestored && !isNoted())
    }
    try await withEngine(in: data) { #expect(!$0.isRestored) }
    try await SQLiteStorageEngine(folder: data, options: .init(role: .tool)).close()
  }
}

/// Drops root's rights, since root may open every folder.
private func giveUpRights() throws {
  guard geteuid() == 0 else { return }
  let unprivileged: UInt32 = 65_534
  try #require(setgid(unprivileged) == 0 && setuid(unprivileged) == 0)
}
