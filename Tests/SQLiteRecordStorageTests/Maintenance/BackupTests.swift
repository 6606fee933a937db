import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import Testing

@Suite struct `Backups` {
  @Test func `have one state of a store that is written meanwhile`() async throws {
    let folder = try TestFolder()
    let backup = folder.path + "/backup.sqlite"
    try await withEngine(in: folder.path + "/data") { engine in
      try await engine.fill(0..<3_000, valueBytes: 1_000)
      async let copying: Void = engine.backUp(to: backup)
      // Each write moves one entry, so that every state has as many.
      for number in 0..<100 {
        try await engine.write { store in
          try store.remove(key(number))
          try store.set(Array(repeating: 1, count: 900), for: key(3_000 + number))
        }
      }
      try await copying
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["backup.sqlite", "data"])
    try await SQLiteStorageEngine.restore(from: backup, into: folder.path + "/restored").close()
    try await withEngine(in: folder.path + "/restored") { engine in
      let keys = try await engine.keys()
      let first = try #require((0...100).first { keys.first == key($0) })
      #expect(keys == (first..<first + 3_000).map { key($0) })
      #expect(try await engine.problems(isThorough: true) == [])
      try await engine.fill(9_000..<9_001)
    }
  }

  @Test func `do not replace files, and leave nothing when they are cancelled`() async throws {
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
      try await storageError(.unavailable) { try await engine.backUp(to: folder.path + "/no/such/folder/x") }
    }
  }

  @Test func `replace a store only when asked to, and as a whole`() async throws {
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
    try await storageError(.exists) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    #expect(try await keys(in: data).count == 3)
    try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true).close()
    try await withEngine(in: data) { engine in
      #expect(try await engine.keys() == (0..<500).map { key($0) })
      #expect(try await engine.problems(isThorough: true) == [])
      try await engine.fill(0..<1)
    }
  }

  @Test func `that are none, or damaged, are not restored`() async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await storageError(.missing) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    try Data(String(repeating: "notes ", count: 200).utf8).write(to: URL(fileURLWithPath: backup))
    try await storageError(.foreign) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    try FileManager.default.removeItem(atPath: backup)
    try await withEngine(in: folder.path + "/other") { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    try Connection(.file(backup)).run("DELETE FROM long_values WHERE id = 3")
    try await storageError(.damaged) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    try Connection(.file(backup)).run("PRAGMA user_version = 1000")
    try await storageError(.newer) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    #expect(!FileManager.default.fileExists(atPath: data + "/records.sqlite"))
  }

  @Test func `leave a note in the folder until somebody has done what a restoration asks for`() async throws {
    let folder = try TestFolder()
    let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
    try await withEngine(in: data) { engine in
      try await engine.fill(0..<10)
      try await engine.backUp(to: backup)
    }
    func isNoted() -> Bool { FileManager.default.fileExists(atPath: data + "/restored") }
    try await storageError(.exists) { _ = try await SQLiteStorageEngine.restore(from: backup, into: data) }
    #expect(!isNoted())
    let restored = try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true)
    // Nobody else gets at it before its history has begun.
    try await storageError(.owned) { _ = try SQLiteStorageEngine(folder: data) }
    #expect(restored.isRestored && isNoted())
    await restored.close()
    try await storageError(.restored) { _ = try SQLiteStorageEngine(folder: data, options: .init(role: .tool)) }
    // A later restoration that fails takes nothing from the earlier one.
    try Data("notes".utf8).write(to: URL(fileURLWithPath: folder.path + "/none"))
    try await storageError(.foreign) {
      _ = try await SQLiteStorageEngine.restore(from: folder.path + "/none", into: data, isReplacing: true)
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
