import Foundation
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

@Suite(.endsAtAll) struct `A failing disk` {
  @Test(arguments: [ENOSPC, EIO], [0, 1, 5])
  func `A write error fails the whole group, keeps earlier data and clears when the disk works`(
    reason: Int32, writes: Int
  ) async throws {
    await #expect(processExitsWith: .success) {
      [reason = reason as Int32, writes = writes as Int] in
      try await failAndRecover(reason, afterWrites: writes)
    }
  }

  @Test func `Reads return nothing that was written during the failure`() async throws {
    await #expect(processExitsWith: .success) { try await failWhileMaking() }
  }

  @Test func `A large transaction without room fails in its middle`() async throws {
    await #expect(processExitsWith: .success) { try await failInTheMiddle() }
  }

  @Test(arguments: [ENOSPC, EDQUOT])
  func `Without room for a new log, opening the store fails`(reason: Int32) async throws {
    await #expect(processExitsWith: .success) { [reason = reason as Int32] in
      try await failToOpen(reason)
    }
  }

  @Test func `A backup without room leaves nothing`() async throws {
    await #expect(processExitsWith: .success) { try await failInBackup() }
  }

  @Test func `A restoration without room keeps the old store`() async throws {
    await #expect(processExitsWith: .success) { try await failInRestoration() }
  }
}

private func failAndRecover(_ reason: Int32, afterWrites writes: Int) async throws {
  let folder = try TestFolder()
  FailingDisk.install()
  let engine = try SQLiteStorageEngine(folder: folder.path, options: .patient)
  try await engine.fill(0..<20)
  let before = try await engine.read { try $0.entries(in: .all) }
  FailingDisk.fail(reason, afterWrites: writes)
  let errors = try await HeldWriter(engine: engine).run(
    // Enough for the log to be written in many pieces.
    (0..<6).map { number in { try await engine.fill(number..<100 + number, valueBytes: 20_000) } })
  FailingDisk.recover()
  let codes = Set(errors.map { ($0 as? StorageError)?.code })
  try #require(codes == [reason == ENOSPC ? .full : .unavailable])
  try #require(try await engine.read { try $0.entries(in: .all) } == before)
  try await engine.fill(20..<30)
  try #require(try await engine.keys().count == 30)
  await engine.close()
  try await withEngine(in: folder.path) { engine in
    try #require(try await engine.keys() == (0..<30).map { key($0) })
    try #require(try await engine.issues(isThorough: true) == [])
  }
}

/// A result is computed before it is durable, and must not be returned if the disk fails.
private func failWhileMaking() async throws {
  let folder = try TestFolder()
  FailingDisk.install()
  let engine = try SQLiteStorageEngine(folder: folder.path, options: .patient)
  try await engine.fill(0..<20)
  FailingDisk.fail(ENOSPC, afterWrites: 0)
  let created = Mutex<[Int]>([])
  let errors = try await HeldWriter(engine: engine).run(
    (0..<6).map { number in
      {
        try await engine.write(in: nil, making: { value in created.withLock { $0.append(value) } })
        {
          store in
          try store.set([1], for: key(100 + number))
          return number
        }
      }
    })
  FailingDisk.recover()
  try #require(errors.map { ($0 as? StorageError)?.code } == Array(repeating: .full, count: 6))
  try #require(created.withLock { $0.sorted() } == Array(0..<6))
  try #require(try await engine.keys() == (0..<20).map { key($0) })
  await engine.close()
}

/// The transaction exceeds the writer's cache, so SQLite writes while the body runs and rolls back
/// by itself.
private func failInTheMiddle() async throws {
  let folder = try TestFolder()
  FailingDisk.install()
  let engine = try SQLiteStorageEngine(folder: folder.path, options: .patient)
  try await engine.fill(0..<20)
  FailingDisk.fail(ENOSPC, afterWrites: 50)
  let errors = try await HeldWriter(engine: engine).run([
    { try await engine.fill(50..<60) },
    {
      try await engine.write { store in
        // Even a body that ignores the error cannot keep half of its writes.
        for number in 1_000..<1_030 {
          do { try store.set(Array(repeating: 1, count: 4 << 20), for: key(number)) } catch {}
        }
      }
    }, { try await engine.fill(60..<70) },
  ])
  FailingDisk.recover()
  // The first was in the group that failed. The last one may have been in another group.
  try #require((errors[0] as? StorageError)?.code == .full)
  try #require((errors[1] as? StorageError)?.code == .full)
  let expected = (0..<20).map { key($0) } + (errors[2] == nil ? (60..<70).map { key($0) } : [])
  try #require(try await engine.keys() == expected)
  try #require(try await engine.issues(isThorough: true) == [])
  await engine.close()
}

/// The log's index is the first file that SQLite writes to.
///
/// SQLite reports its failure as an I/O error.
private func failToOpen(_ reason: Int32) async throws {
  let folder = try TestFolder()
  FailingDisk.install()
  try await withEngine(in: folder.path) { try await $0.fill(0..<20) }
  FailingDisk.fail(reason, afterWrites: 0)
  let error = try #require(throws: StorageError.self) {
    _ = try SQLiteStorageEngine(folder: folder.path)
  }
  FailingDisk.recover()
  try #require(error.code == .full, "\(error)")
  try #require(try await keys(in: folder.path).count == 20)
}

private func failInBackup() async throws {
  let folder = try TestFolder()
  let backup = folder.path + "/backup.sqlite"
  FailingDisk.install()
  let engine = try SQLiteStorageEngine(folder: folder.path + "/data")
  try await engine.fill(0..<3_000, valueBytes: 1_000)
  FailingDisk.fail(ENOSPC, afterWrites: 5)
  let error = try await #require(throws: StorageError.self) { try await engine.backUp(to: backup) }
  FailingDisk.recover()
  try #require(error.code == .full, "\(error)")
  try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
  try await engine.backUp(to: backup)
  await engine.close()
}

private func failInRestoration() async throws {
  let folder = try TestFolder()
  let (data, backup) = (folder.path + "/data", folder.path + "/backup.sqlite")
  FailingDisk.install()
  try await withEngine(in: data) { engine in
    try await engine.fill(0..<500, valueBytes: 1_000)
    try await engine.backUp(to: backup)
    try await engine.write { try $0.removeEntries(in: .all) }
    try await engine.fill(1_000..<1_003)
  }
  func fail(into path: String) async throws {
    FailingDisk.fail(ENOSPC, afterWrites: 20)
    let error = try await #require(throws: StorageError.self) {
      _ = try await SQLiteStorageEngine.restore(from: backup, into: path, isReplacing: true)
    }
    FailingDisk.recover()
    try #require(error.code == .full, "\(error)")
  }
  func isNoted(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/restored")
  }
  try await fail(into: data)
  try #require(!isNoted(data))
  try await withEngine(in: data) { engine in
    try #require(!engine.isRestored)
    try #require(try await engine.keys() == (1_000..<1_003).map { key($0) })
    try #require(try await engine.issues(isThorough: true) == [])
  }
  // A folder that had no store still has none.
  try await fail(into: folder.path + "/new")
  let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new")
  try #require(left == ["server.lock"], "\(left)")
  // The note of an earlier restoration stays.
  try await SQLiteStorageEngine.restore(from: backup, into: data, isReplacing: true).close()
  try await fail(into: data)
  try #require(isNoted(data))
  try await withEngine(in: data) { try #require($0.isRestored) }
}
