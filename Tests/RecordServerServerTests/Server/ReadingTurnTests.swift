import CloudRecords
import CloudWire
import Dispatch
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// The scheduling of requests that read for a long time.
@Suite(.endsAtAll) struct `Long reads` {
  private static let query =
    #"{"query":{"recordType":"Book","sortBy":[{"fieldName":"pages"}]},"zoneID":{"zoneName":"Z"}}"#

  private func library(_ cloud: Cloud, _ name: String, _ count: Int) async throws -> Client {
    let user = try await cloud.user(name)
    try await user.makeZone("Z")
    for number in 0..<count {
      let fields = #""pages":{"value":\#(number),"type":"INT64"}"#
      _ = try await user.modify(
        zone: "Z",
        ("create", #""recordName":"n\#(number)","recordType":"Book","fields":{\#(fields)}"#))
    }
    return user
  }

  /// Ten queries are stopped in the middle of their reads for as long as the test needs.
  @Test func `Long reads leave the storage to others, however many there are`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = StoppedScansEngine(try SQLiteStorageEngine(folder: folder.path))
      let cloud = Cloud(engine: engine)
      let ada = try await library(cloud, "_ada", 10)
      engine.stopScans()
      try await withThrowingTaskGroup(of: Int.self) { group in
        // The group waits for its tasks even if the test fails, so the scans must continue.
        defer { engine.letScansGoOn() }
        for _ in 0..<10 {
          group.addTask { try await ada.ask(.private, .recordsQuery, Self.query).records.count }
        }
        await engine.scansBegan()
        for number in 0..<50 {
          try await cloud.server.checkStorage()
          let saved = ("forceUpdate", #""recordName":"n\#(number % 10)","fields":{}"#)
          #expect(try await ada.modify(zone: "Z", saved).records[0].contains("@"))
          #expect(try await ada.lookUp(zone: "Z", "n1").records[0].contains("@"))
        }
        engine.letScansGoOn()
        for try await count in group { #expect(count == 10) }
      }
      await engine.close()
    }
  }

  /// One user's queries take 400 slices.
  ///
  /// Another user's query takes 20, and starts after some of them.
  @Test func `Long reads alternate with those of other callers`() async throws {
    try await withTemporaryDirectory { folder in
      var limits = ServiceLimits()
      limits.reading.entriesPerSlice = 1
      let engine = ReadCountingEngine(try SQLiteStorageEngine(folder: folder.path))
      let cloud = Cloud(limits: limits, engine: engine)
      let (ada, bob) = (try await library(cloud, "_ada", 20), try await library(cloud, "_bob", 20))
      let (others, started) = (Counter(), AsyncStream<Void>.makeStream())
      engine.reset()
      engine.afterRead { if engine.reads >= 30 { started.continuation.finish() } }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let reply = try await ada.ask(.private, .recordsQuery, Self.query)
            _ = others.take(of: Array(0..<20))
            return reply.records.count
          }
        }
        for await _ in started.stream {}
        let count = try await bob.ask(.private, .recordsQuery, Self.query).records.count
        #expect(count == 20)
        #expect(others.count == 0)
        for try await count in group { #expect(count == 20) }
      }
      await engine.close()
    }
  }
}

/// Storage whose long scans stop in the middle and block their reader.
private final class StoppedScansEngine: StorageEngine {
  private let engine: any StorageEngine
  private let gate = DispatchSemaphore(value: 0)
  private let isStopping = Mutex(false)
  private let began = AsyncStream<Void>.makeStream()

  init(_ engine: any StorageEngine) { self.engine = engine }

  func stopScans() { isStopping.withLock { $0 = true } }

  /// Returns when a scan has stopped.
  func scansBegan() async { for await _ in began.stream { return } }

  func letScansGoOn() {
    isStopping.withLock { $0 = false }
    // More than there can be, so every waiting scan continues.
    for _ in 0..<100 { gate.signal() }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    let engine = self
    return try await self.engine.read(in: partition) { try body(Transaction($0, engine)) }
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }

  private func stop() {
    guard isStopping.withLock(\.self) else { return }
    began.continuation.yield()
    gate.wait()
  }

  private final class Transaction: StorageReading {
    private let transaction: any StorageReading
    private let engine: StoppedScansEngine

    init(_ transaction: any StorageReading, _ engine: StoppedScansEngine) {
      self.transaction = transaction
      self.engine = engine
    }

    func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
      try transaction.visitValues(of: keys, visit)
    }

    func visitEntries(
      in range: StorageRange, order: StorageOrder, limit: Int,
      _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
    ) throws {
      var count = 0
      try transaction.visitEntries(in: range, order: order, limit: limit) { key, value in
        count += 1
        if count == 5 { engine.stop() }
        return try visit(key, value)
      }
    }
  }
}
