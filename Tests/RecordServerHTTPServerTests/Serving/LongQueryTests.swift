import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// Queries that never end.
@Suite(.blockingThreads, .endsAtAll) struct `Endless queries` {
  private static let query =
    #"{"query":{"recordType":"Note","filterBy":[{"comparator":"NOT_IN","fieldName":"t","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}}],"sortBy":[{"fieldName":"t"}]}}"#

  /// Runs a service with a public database in which every query reads forever.
  private func run(
    _ log: @escaping @Sendable (RequestLogEntry) -> Void = { _ in },
    _ body: (TestService, WebClient, EndlessEngine) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let engine = EndlessEngine(try SQLiteStorageEngine(folder: folder.path))
      try await TestService.run(on: engine) { configuration in
        configuration.limits.reading.entriesPerSlice = 3
        configuration.limits.reading.entriesPerRequest = .max
        configuration.limits.reading.requestDuration = .seconds(3_600)
        let known = configuration.service.log
        configuration.service.log = {
          known?($0)
          log($0)
        }
      } _: { testService in
        let ada = try await testService.user("ada")
        for number in 0..<10 {
          let record =
            #"{"recordName":"n\#(number)","recordType":"Note","fields":{"t":{"value":"\#(number)"}}}"#
          let reply = try ada.ask(
            "public", "records/modify",
            #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
          #expect(reply.status == 200, "\(reply)")
        }
        engine.begin()
        try await body(testService, ada, engine)
      }
    }
  }

  /// Sends an endless query without waiting for its answer.
  private func send(_ client: WebClient) throws {
    let target = "/database/1/\(client.container)/public/records/query\(client.query)"
    try client.raw.send(
      "POST \(target) HTTP/1.1\r\nHost: cloud.example\r\nContent-Length: \(Self.query.utf8.count)\r\n\r\n\(Self.query)"
    )
  }

  @Test func `An endless query does not block the server and ends when its client disconnects`()
    async throws
  {
    let ended = AsyncStream<String>.makeStream()
    try await run({ if $0.line.contains("records/query") { ended.continuation.yield($0.line) } }) {
      testService, ada, _ in
      var hostile: [WebClient] = []
      for _ in 0..<10 {
        let client = try testService.client()
        try send(client)
        hostile.append(client)
      }
      let other = try testService.client()
      for number in 0..<100 {
        #expect(try other.get("/ready").status == 200)
        let record = #"{"recordName":"n\#(number % 10)","fields":{"t":{"value":"\#(number)"}}}"#
        let saved = try ada.ask(
          "public", "records/modify",
          #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#)
        #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved)")
        let found = try ada.ask(
          "public", "records/lookup", #"{"records":[{"recordName":"n\#(number % 10)"}]}"#)
        #expect(found["records"][0]["recordName"].text == "n\(number % 10)", "\(found)")
      }
      // None of them has ended so far.
      #expect(!testService.log.all.contains { $0.contains("records/query") })
      hostile = []
      var count = 0
      for await line in ended.stream {
        #expect(line.contains("TRY_AGAIN_LATER"), "\(line)")
        count += 1
        if count == 10 { break }
      }
    }
  }

  @Test func `An endless query does not delay the server's shutdown`() async throws {
    try await run { testService, _, engine in
      let clients = try (0..<3).map { _ in try testService.client() }
      for client in clients { try send(client) }
      await engine.readsAgain(30)
      #expect(await testService.server.shutdown(within: .milliseconds(200)) == clients.count)
    }
  }
}

/// Storage whose continued scans start over, so that they never reach the end of their range.
private final class EndlessEngine: StorageEngine {
  private struct State {
    var isEndless = false
    /// The start of the first scan of each range, by the range's end.
    var beginnings: [StorageKey: StorageKey] = [:]
  }

  private let engine: any StorageEngine
  private let state = Mutex(State())
  private let readAgain = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(100))

  init(_ engine: any StorageEngine) { self.engine = engine }

  func begin() { state.withLock { $0.isEndless = true } }

  /// Returns after ranges were read again a number of times.
  func readsAgain(_ count: Int) async {
    var left = count
    for await _ in readAgain.stream {
      left -= 1
      if left == 0 { return }
    }
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

  private func range(for range: StorageRange) -> StorageRange {
    let beginning: StorageKey? = state.withLock { state in
      guard state.isEndless, let upper = range.upper else { return nil }
      let first = state.beginnings[upper] ?? range.lower
      state.beginnings[upper] = first
      return first == range.lower ? nil : first
    }
    guard let beginning else { return range }
    readAgain.continuation.yield()
    return StorageRange(from: beginning, to: range.upper)
  }

  private final class Transaction: StorageReading {
    private let transaction: any StorageReading
    private let engine: EndlessEngine

    init(_ transaction: any StorageReading, _ engine: EndlessEngine) {
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
      try transaction.visitEntries(in: engine.range(for: range), order: order, limit: limit, visit)
    }
  }
}
