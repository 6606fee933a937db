import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Synchronization
import Testing

@Suite struct `A full disk` {
  private func note(_ name: String) -> (String, String) {
    ("create", #""recordName":"\#(name)","recordType":"Note""#)
  }
  private func gone(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  @Test func `Only deletions are accepted, and only while space is reserved`() async throws {
    let engine = FullEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    _ = try await ada.modify(note("a"), note("b"), note("c"), note("d"))
    try await ada.cloud.server.runMaintenance()
    engine.isFull = true
    for operations in [[note("e")], [gone("a"), note("e")]] {
      let list = operations.map { #"{"operationType":"\#($0.0)","record":{\#($0.1)}}"# }.joined(
        separator: ",")
      let reply = try await ada.ask(.private, .recordsModify, #"{"operations":[\#(list)]}"#)
      #expect(reply["serverErrorCode"].text == "TRY_AGAIN_LATER" && reply.status == 503)
    }
    #expect(try await ada.modify(gone("a"), gone("b")).records == ["a: deleted", "b: deleted"])
    // The deletions used up the reserved space. Maintenance reserves more when there is room.
    engine.isFull = true
    #expect(try await ada.modify(gone("c"))["serverErrorCode"].text == "TRY_AGAIN_LATER")
    engine.isFull = false
    try await ada.cloud.server.runMaintenance()
    engine.isFull = true
    #expect(try await ada.modify(gone("c")).records == ["c: deleted"])
    #expect(
      try await ada.lookUp("a", "b", "c", "d").records.map { $0.hasSuffix("NOT_FOUND") } == [
        true, true, true, false,
      ])
  }
}

/// Storage in memory on a disk that is full until reserved space is released.
private final class FullEngine: StorageEngine {
  private struct Disk {
    var isFull = false
    var hasReserve = false
  }

  private let engine = MemoryStorageEngine()
  private let disk = Mutex(Disk())

  var isFull: Bool {
    get { disk.withLock(\.isFull) }
    set { disk.withLock { $0.isFull = newValue } }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    guard !isFull else { throw StorageError(.full, "the disk is full, as the test wants it") }
    return try await engine.write(in: partition, body)
  }

  func reserveRoom() async throws { disk.withLock { if !$0.isFull { $0.hasReserve = true } } }

  func releaseReservedRoom() async throws -> Bool {
    disk.withLock { disk in
      guard disk.hasReserve else { return false }
      disk = Disk()
      return true
    }
  }

  func close() async { await engine.close() }
}
