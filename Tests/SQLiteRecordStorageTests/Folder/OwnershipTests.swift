import Foundation
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite struct `The data folder` {
  @Test func `The folder has one server at a time`() async throws {
    let folder = try TestFolder()
    let first = try SQLiteStorageEngine(folder: folder.path)
    let error = try await storageError(.owned) { _ = try SQLiteStorageEngine(folder: folder.path) }
    #expect(error.message.contains("process \(getpid())"))
    #expect(error.place == folder.path)
    await first.close()
    try await withEngine(in: folder.path) { try await $0.fill(0..<1) }
  }

  @Test func `A leaked storage and a dead process release the folder`()
    async throws
  {
    let folder = try TestFolder()
    do {
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await engine.fill(0..<2)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let engine = try SQLiteStorageEngine(folder: path)
      try await engine.fill(2..<4)
      kill(getpid(), SIGKILL)
    }
    #expect(try await keys(in: folder.path).count == 4)
  }

  @Test
  func `The lock is released although a starting process has its descriptor`()
    async throws
  {
    let folder = try TestFolder()
    let first = try SQLiteStorageEngine(folder: folder.path)
    let copy = try #require(DescriptorCopy(of: folder.path + "/server.lock"))
    await first.close()
    try await withEngine(in: folder.path) { try await $0.fill(0..<1) }
    withExtendedLifetime(copy) {}
  }

  @Test func `Tools read and write next to the server`() async throws {
    let folder = try TestFolder()
    let server = try SQLiteStorageEngine(folder: folder.path)
    try await server.fill(0..<10)
    let tool = try SQLiteStorageEngine(folder: folder.path, options: .init(role: .tool))
    #expect(try await tool.keys().count == 10)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 10..<30 {
        group.addTask { try await (number % 2 == 0 ? tool : server).fill(number..<number + 1) }
      }
      try await group.waitForAll()
    }
    #expect(try await tool.keys() == (0..<30).map { key($0) })
    await tool.close()
    #expect(try await server.keys() == (0..<30).map { key($0) })
    await server.close()
  }

  @Test(arguments: ["data", "./data", "inner/../data"])
  func `A relative path may name the folder`(name: String) async throws {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/inner", withIntermediateDirectories: true)
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      try #require(FileManager.default.changeCurrentDirectoryPath(path))
      try await withEngine(in: name) { engine in
        try await engine.fill(0..<3)
        try await engine.backUp(to: "backup.sqlite")
      }
    }
    #expect(try await keys(in: folder.path + "/data").count == 3)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/backup.sqlite"))
  }

  @Test func `A tool needs an existing store`() async throws {
    let folder = try TestFolder()
    try await storageError(.missing) {
      _ = try SQLiteStorageEngine(folder: folder.path, options: .init(role: .tool))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `A server makes the folder, which only its owner may read`() async throws {
    let folder = try TestFolder()
    let path = folder.path + "/data"
    try await withEngine(in: path) { engine in
      try await engine.fill(0..<1)
      for name in ["", "/records.sqlite", "/records.sqlite-wal", "/server.lock"] {
        let rights =
          try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
        #expect(rights.map { $0 & 0o077 } == 0, "\(name)")
      }
    }
    try await storageError(.unavailable) {
      _ = try SQLiteStorageEngine(folder: folder.path + "/no/such/folder")
    }
  }
}
