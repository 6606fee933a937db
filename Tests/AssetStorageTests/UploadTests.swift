import AssetStorage
import CloudRecords
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import TestSupport
import Testing

@Suite("Uploads")
struct UploadTests {
  @Test func `A file uploaded in pieces of any size is read back unchanged`() async throws {
    var random = SeededGenerator.forTest()
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      for size in [0, 1, 1 << 10, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3_000_000] {
        let contents = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let asset = try await library.upload(
          contents, pieces: Int.random(in: max(1, size / 100)...max(2, size), using: &random))
        #expect(asset.size == Int64(size), "\(random)")
        #expect(
          AssetChecksum(text: asset.fileChecksum)?.digest == DigestAlgorithm.sha256.hash(contents))
        #expect(try await library.save("r\(size)", asset))
        #expect(try await library.contents("r\(size)") == contents, "\(random), \(size) bytes")
      }
      #expect(try library.files.count == 7)
      #expect(try library.files.allSatisfy { $0.hasPrefix("contents/") })
    }
  }

  @Test func `Equal contents share one file`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      let assets = try await withThrowingTaskGroup(of: AssetValue.self) { group in
        for _ in 0..<8 { group.addTask { try await library.upload("the same") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(assets.map(\.fileChecksum)).count == 1)
      #expect(try library.files.count == 1)
      for (number, asset) in assets.enumerated() {
        #expect(try await library.save("r\(number)", asset))
      }
      #expect(try await library.contents("r7") == Array("the same".utf8))
    }
  }

  @Test func `A discarded or deallocated upload leaves no file`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      let upload = try await library.store.begin()
      try await upload.append([UInt8](repeating: 1, count: 1 << 20))
      #expect(try library.files.count == 1)
      await upload.discard()
      #expect(try library.files == [])
      await #expect(throws: AssetStorageError.self) {
        try await library.store.finish(upload, for: library.grant())
      }
      await #expect(throws: AssetStorageError.self) {
        try await upload.append([UInt8](repeating: 1, count: 1 << 20))
      }
      try await beginUpload(in: library).append([1])
      #expect(try library.files == [])
    }
  }

  private func beginUpload(in library: Library) async throws -> AssetUpload {
    try await library.store.begin()
  }

  @Test func `An upload over the limit is rejected and leaves nothing`() async throws {
    var limits = ServiceLimits()
    limits.assetBytes = 1_000_000
    try await withTemporaryDirectory { [limits] folder in
      let library = try await Library(folder, engine: MemoryStorageEngine(), limits: limits)
      #expect(try await library.upload([UInt8](repeating: 1, count: 1_000_000)).size == 1_000_000)
      let declared = await #expect(throws: AssetStorageError.self) {
        try await library.store.begin(length: 1_000_001)
      }
      #expect(declared?.code == .tooLarge)
      let upload = try await library.store.begin()
      let sent = await #expect(throws: AssetStorageError.self) {
        try await upload.append([UInt8](repeating: 1, count: 1_000_001))
      }
      #expect(sent?.code == .tooLarge)
      await upload.discard()
      #expect(try library.files.count == 1)
    }
  }

  @Test func `Uploads leave the reserved disk space free`() async throws {
    var options = AssetStore.Options()
    options.reservedBytes = .max
    try await withTemporaryDirectory { [options] folder in
      let library = try await Library(folder, engine: MemoryStorageEngine(), options: options)
      let error = await #expect(throws: AssetStorageError.self) { try await library.upload("one") }
      #expect(error?.code == .full)
      #expect(error?.message.contains("no space") == true)
      #expect(try library.files == [])
    }
  }

  @Test func `A full disk fails an upload with a readable error and leaves nothing`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try await withTemporaryDirectory { folder in
        let library = try await Library(folder, engine: MemoryStorageEngine())
        let error = await #expect(throws: AssetStorageError.self) {
          try await library.upload([UInt8](repeating: 1, count: 2 << 20))
        }
        #expect(error?.code == .full)
        #expect(error?.message.contains("free disk space") == true)
        #expect(try library.files == [])
        #expect(try await library.upload("small").size == 5)
      }
    }
  }

  @Test func `Checksums and keys in private databases are deterministic`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      func upload(_ scope: DatabaseScope, _ text: String) async throws -> AssetValue {
        let upload = try await library.store.begin()
        try await upload.append(Array(text.utf8))
        return try await library.store.finish(upload, for: library.grant(scope))
      }
      let (first, again, other) = (
        try await upload(.private, "one"), try await upload(.shared, "one"),
        try await upload(.private, "two")
      )
      #expect(first.referenceChecksum?.utf8.count == 28 && first.wrappingKey?.utf8.count == 24)
      #expect(
        (first.referenceChecksum, first.wrappingKey) == (again.referenceChecksum, again.wrappingKey)
      )
      #expect(
        first.referenceChecksum != other.referenceChecksum && first.wrappingKey != other.wrappingKey
      )
      let open = try await upload(.public, "one")
      #expect(open.referenceChecksum == nil && open.wrappingKey == nil && open.receipt != nil)
    }
  }

  @Test func `Uploading a large file takes little memory`() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let library = try await Library(folder, engine: MemoryStorageEngine())
        _ = try await library.upload("one")
        let (before, size) = (try residentBytes(), 200 << 20)
        var most = 0
        let upload = try await library.store.begin(length: Int64(size))
        for number in 0..<size >> 16 {
          try await upload.append(
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 64 << 10))
          if number.isMultiple(of: 64) { most = max(most, try residentBytes()) }
        }
        #expect(try await library.store.finish(upload, for: library.grant()).size == Int64(size))
        #expect(
          most - before < 8 << 20, "\((most - before) >> 10) KB more while \(size >> 20) MB arrived"
        )
      }
    }
  }
}

/// The resident memory of this process.
func residentBytes() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return (Int(status[1]) ?? 0) * Int(getpagesize())
}
