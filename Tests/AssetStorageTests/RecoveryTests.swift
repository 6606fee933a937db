import AssetStorage
import CloudRecords
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

@Suite("After a crash")
struct AssetRecoveryTests {
  @Test func `An unfinished upload leaves nothing`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let library = try await Library(URL(fileURLWithPath: path), engine: MemoryStorageEngine())
        let upload = try await library.store.begin()
        try await upload.append([UInt8](repeating: 1, count: 1 << 20))
        kill(getpid(), SIGKILL)
      }
      let parts = try FileManager.default.contentsOfDirectory(atPath: path + "/incoming")
      #expect(parts.count == 1 && parts.allSatisfy { $0.hasSuffix(".part") })
      #expect(try await Library(folder, engine: MemoryStorageEngine()).files == [])
    }
  }

  @Test func `Acknowledged files remain`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let engine = try SQLiteStorageEngine(folder: path + "/data")
        let library = try await Library(URL(fileURLWithPath: path + "/files"), engine: engine)
        guard try await library.save("a", try await library.upload("one")) else { return }
        kill(getpid(), SIGKILL)
      }
      let engine = try SQLiteStorageEngine(folder: path + "/data")
      let library = try await Library(folder.appendingPathComponent("files"), engine: engine)
      #expect(try await library.contents("a") == Array("one".utf8))
      #expect(try await library.store.issues(isThorough: true) == [])
      await engine.close()
    }
  }

  @Test(arguments: [1, 6, 20])
  func `All acknowledged files remain whenever the process is killed`(
    count: Int
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, count = count as Int] in
        try await workUntilKilled(in: path, after: count)
      }
      let acknowledged = try String(contentsOfFile: path + "/acknowledged", encoding: .utf8).split(
        separator: "\n")
      #expect(acknowledged.count >= count)
      let engine = try SQLiteStorageEngine(folder: path + "/data")
      let library = try await Library(folder.appendingPathComponent("files"), engine: engine)
      for name in acknowledged {
        #expect(try await library.contents(String(name)) == contents(of: String(name)))
      }
      #expect(try library.files.allSatisfy { $0.hasPrefix("contents/") })
      #expect(try await library.store.issues(isThorough: true) == [])
      await engine.close()
    }
  }

  @Test func `The folder's lock is released although a starting process has its descriptor`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let engine = MemoryStorageEngine()
      var copy: DescriptorCopy?
      do {
        let library = try await Library(folder, engine: engine)
        copy = DescriptorCopy(of: folder.path + "/files.lock")
        #expect(copy != nil)
        #expect(try library.files.isEmpty)
      }
      _ = try await Library(folder, engine: engine)
      withExtendedLifetime(copy) {}
    }
  }

  @Test(arguments: [true, false])
  func `Complete files are kept if the catalogue names them, and removed otherwise`(isNamed: Bool)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let engine = MemoryStorageEngine()
      let name: String
      do {
        let library = try await Library(folder, engine: engine)
        let asset = try await library.upload("one")
        #expect(try await library.save("a", asset))
        let placed = try #require(try library.files.first)
        name = URL(fileURLWithPath: placed).lastPathComponent
        // Simulates a process that ended before it placed the file.
        try FileManager.default.moveItem(
          at: folder.appendingPathComponent(placed),
          to: folder.appendingPathComponent("incoming/\(name)"))
        #expect(try await library.contents("a") == Array("one".utf8))
      }
      let library = try await Library(folder, engine: isNamed ? engine : MemoryStorageEngine())
      #expect(try library.files == (isNamed ? ["contents/\(name.prefix(2))/\(name)"] : []))
      #expect(try await library.contents("a") == (isNamed ? Array("one".utf8) : nil))
    }
  }

  @Test func `Doomed files are removed`() async throws {
    try await withTemporaryDirectory { folder in
      let (engine, clock) = (MemoryStorageEngine(), ManualClock())
      do {
        let library = try await Library(folder, engine: engine, clock: clock)
        _ = try await library.upload("one")
        clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
        // Simulates a process that ended before it removed the file.
        _ = try await library.server.collectAssets(atMost: 10)
        #expect(try library.files.count == 1)
      }
      let library = try await Library(folder, engine: engine, clock: clock)
      #expect(try library.files == [])
      #expect(try await library.server.doomedAssetFiles(atMost: 10) == [])
    }
  }

  @Test func `A second server is rejected, and tools are not`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = MemoryStorageEngine()
      let library = try await Library(folder, engine: engine)
      let upload = try await library.store.begin()
      try await upload.append([UInt8](repeating: 1, count: 1 << 20))
      let error = await #expect(throws: AssetStorageError.self) {
        try await Library(folder, engine: engine)
      }
      #expect(error?.code == .owned)
      _ = try await Library(folder, engine: engine, as: .tool)
      #expect(try await library.store.finish(upload, for: library.grant()).size == 1 << 20)
      library.store.close()
      let next = try await Library(folder, engine: engine)
      #expect(try next.files.count == 1)
    }
  }
}

private func contents(of name: String) -> [UInt8] {
  Array(String(repeating: name, count: 20_000).utf8)
}

/// Four users save files concurrently until the process is killed after `count` acknowledgements.
private func workUntilKilled(in path: String, after count: Int) async throws {
  let engine = try SQLiteStorageEngine(folder: path + "/data")
  let library = try await Library(URL(fileURLWithPath: path + "/files"), engine: engine)
  let acknowledged = try FileHandle(
    forWritingTo: try made(URL(fileURLWithPath: path + "/acknowledged")))
  let acknowledgements = Acknowledgements(acknowledged, killingAfter: count)
  try await withThrowingTaskGroup { group in
    for user in 0..<4 {
      group.addTask {
        for number in 0..<1_000 {
          let name = "u\(user)-\(number)"
          guard try await library.save(name, try await library.upload(contents(of: name))) else {
            continue
          }
          try acknowledgements.add(name)
        }
      }
    }
    try await group.waitForAll()
  }
}

/// Records acknowledgements, and ends the process when there are enough.
private final class Acknowledgements: Sendable {
  private let left: Mutex<(count: Int, file: FileHandle)>

  init(_ file: sending FileHandle, killingAfter count: Int) { left = Mutex((count, file)) }

  func add(_ name: String) throws {
    try left.withLock { left in
      try left.file.write(contentsOf: Data("\(name)\n".utf8))
      left.count -= 1
      if left.count == 0 { kill(getpid(), SIGKILL) }
    }
  }
}

private func made(_ file: URL) throws -> URL {
  try Data().write(to: file)
  return file
}

@Suite("Integrity of files")
struct IntegrityTests {
  /// Passes a library with a sound file for each of the texts.
  private func withFiles(
    _ texts: [String], _ body: (Library, [String]) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      var paths: [String] = []
      for text in texts {
        let before = Set(try library.files)
        #expect(try await library.save(text, try await library.upload(text)))
        paths += Set(try library.files).subtracting(before).map {
          folder.appendingPathComponent($0).path
        }
      }
      #expect(try await library.store.issues(isThorough: true) == [])
      try await body(library, paths)
    }
  }

  private func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

  @Test func `A check names missing, damaged, resized, orphaned and foreign files`() async throws {
    try await withFiles(["missing", "damaged", "short", "sound"]) { library, paths in
      try FileManager.default.removeItem(atPath: paths[0])
      try Data("DAMAGED".utf8).write(to: URL(fileURLWithPath: paths[1]))
      try Data("sho".utf8).write(to: URL(fileURLWithPath: paths[2]))
      let orphan = name(paths[3]).prefix(64) + "-0000000000000001"
      let folder = URL(fileURLWithPath: paths[3]).deletingLastPathComponent()
      try Data("sound".utf8).write(to: folder.appendingPathComponent(String(orphan)))
      try Data().write(to: folder.appendingPathComponent("notes.txt"))
      let expected: Set<AssetIssue> = [
        .missing(name(paths[0])), .wrongSize(name(paths[2]), bytes: 3, expected: 5),
        .orphaned(String(orphan)),
        .foreign(folder.appendingPathComponent("notes.txt").path),
      ]
      #expect(Set(try await library.store.issues()) == expected)
      #expect(
        Set(try await library.store.issues(isThorough: true))
          == expected.union([.damaged(name(paths[1]))]))
      #expect(expected.allSatisfy { $0.description.contains(".") })
    }
  }

  @Test func `The next upload restores a lost or truncated file`() async throws {
    try await withFiles(["lost", "short"]) { library, paths in
      try FileManager.default.removeItem(atPath: paths[0])
      try Data("sho".utf8).write(to: URL(fileURLWithPath: paths[1]))
      let error = await #expect(throws: CloudError.self) { try await library.contents("lost") }
      #expect(error?.code == .notFound)
      await #expect(throws: CloudError.self) { try await library.contents("short") }
      _ = try await library.upload("lost")
      _ = try await library.upload("short")
      #expect(try await library.contents("lost") == Array("lost".utf8))
      #expect(try await library.contents("short") == Array("short".utf8))
      try await library.store.collect()
      #expect(try await library.store.issues(isThorough: true) == [])
    }
  }
}
