import AssetStorage
import CloudRecords
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

@Suite("Collection of files")
struct FileCollectionTests {
  @Test func `Unreferenced files are removed after they expire`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      #expect(try await library.save("held", try await library.upload("held")))
      let address = try #require(try await library.address("held"))
      _ = try await library.upload("never held")
      #expect(try await library.store.collect() == 0)
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      #expect(try await library.store.collect() == 1)
      #expect(try await library.contents("held") == Array("held".utf8))
      let expired = await #expect(throws: CloudError.self) { try await library.download(address) }
      #expect(expired?.code == .accessDenied)
      let last = try #require(try await library.address("held"))
      #expect(try await library.delete("held"))
      #expect(try await library.store.collect() == 0)
      #expect(try await library.download(last) == Array("held".utf8))
      library.clock.pass(seconds: Library.graceSeconds)
      #expect(try await library.store.collect() == 1)
      #expect(try library.files == [])
    }
  }

  @Test func `Collection continues while a reader has a file open`() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Library(folder, engine: MemoryStorageEngine())
      #expect(try await library.save("a", try await library.upload("one")))
      let address = try #require(try await library.address("a"))
      let ticket = String(address.split(separator: "=", maxSplits: 1)[1])
      let handle = try await library.store.file(ticket: ticket) { path in
        OpenFile(try FileHandle(forReadingFrom: URL(fileURLWithPath: path)))
      }.file
      #expect(try await library.delete("a"))
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      #expect(try await library.store.collect() == 1)
      #expect(try handle.read() == Array("one".utf8))
    }
  }

  @Test(arguments: ["memory", "sqlite"])
  func `A referenced file is never removed during concurrent saves, deletions and collections`(
    kind: String
  ) async throws {
    let random = SeededGenerator.forTest()
    try await withTemporaryDirectory { folder in
      let engine: any StorageEngine =
        kind == "memory"
        ? MemoryStorageEngine()
        : try SQLiteStorageEngine(folder: folder.appendingPathComponent("data").path)
      let library = try await Library(folder.appendingPathComponent("files"), engine: engine)
      let saved = try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<4 {
          let seed = random.seed &+ UInt64(worker)
          group.addTask {
            try await Self.workOften(library, SeededGenerator(seed: seed), "w\(worker)")
          }
        }
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<40 { try await library.store.collect() }
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(saved > 0, "\(random)")
      #expect(try await library.store.issues(isThorough: true) == [], "\(random)")
      for worker in 0..<4 { _ = try await library.delete("w\(worker)") }
      library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds)
      try await library.store.collect()
      #expect(try library.files == [], "\(random)")
      await engine.close()
    }
  }

  /// Works for a while and advances the clock.
  ///
  /// Returns the number of saves.
  private static func workOften(
    _ library: Library, _ generator: SeededGenerator, _ record: String
  ) async throws -> Int {
    var (random, saved) = (generator, 0)
    for step in 0..<40 {
      if try await work(library, &random, record) { saved += 1 }
      if step.isMultiple(of: 4) { library.clock.pass(seconds: Library.graceSeconds / 2) }
      if step.isMultiple(of: 13) { library.clock.pass(seconds: Library.receiptSeconds) }
    }
    return saved
  }

  /// A file with a receipt that never expires, or nil if other tasks advanced the clock so far that
  /// the file was collected before it was placed.
  private static func uploaded(_ text: String, _ library: Library) async throws -> AssetValue? {
    do {
      return try library.neverExpiring(try await library.upload(text))
    } catch let error as CloudError where error.code == .tryAgainLater {
      return nil
    }
  }

  /// Uploads one of a few contents, and saves, reads or deletes a record.
  ///
  /// Returns whether it saved.
  private static func work(_ library: Library, _ random: inout SeededGenerator, _ record: String)
    async throws -> Bool
  {
    let text = "contents \(Int.random(in: 0..<6, using: &random))"
    guard let asset = try await uploaded(text, library) else { return false }
    let isDue = Bool.random(using: &random)
    if isDue { library.clock.pass(seconds: Library.receiptSeconds + Library.graceSeconds) }
    // The collection and the save run concurrently.
    async let collected = isDue ? library.store.collect() : 0
    let isSaved = try await library.save(record, asset)
    _ = try await collected
    guard isSaved else { return false }
    do {
      #expect(try await library.contents(record) == Array(text.utf8), "\(random)")
    } catch let error as CloudError where error.code == .accessDenied {
      // Another task advanced the clock so far that the address expired.
    }
    if Bool.random(using: &random) { #expect(try await library.delete(record)) }
    return true
  }
}

/// An open file that one test reads at a time.
private final class OpenFile: Sendable {
  private let handle: Mutex<FileHandle>

  init(_ handle: sending FileHandle) { self.handle = Mutex(handle) }

  func read() throws -> [UInt8] { try handle.withLock { Array(try $0.readToEnd() ?? Data()) } }
}
