import CloudKitClient
import Foundation
import ParhelionCommands

/// The benchmarks of the client library, with a server in another process.
package struct ClientBenchmark {
  /// The sizes of the workloads.
  package struct Sizes: Sendable {
    /// The number of rounds, each of which runs both sides.
    package var rounds = 15
    /// The number of records to decode.
    package var decoded = 400
    /// The number of small requests per round.
    package var requests = 500
    /// The numbers of records in the two zones that are fetched to compare memory.
    package var fewRecords = 2_000
    package var manyRecords = 40_000

    package init() {}
  }

  package var sizes = Sizes()
  private let stage: ServerBenchmark.Stage

  /// Creates a benchmark of the client with a server.
  ///
  /// - Parameter executable: The path of `parhelion`.
  package init(executable: String) { stage = ServerBenchmark.Stage(executable) }

  /// The workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [
      BenchmarkWorkload("client.decode", "client.decode.walk", run: decode),
      BenchmarkWorkload("client.request", run: request),
      BenchmarkWorkload("client.memory", run: memory),
    ]
  }

  // MARK: Decoding

  /// Decodes the pages of a zone into API records, compared with parsing them into plain values,
  /// and with validating them.
  private func decode() throws -> [LocalBenchmark.Measured] {
    let zone = try BenchZone("decoded", on: try stage.server())
    try zone.fill(to: sizes.decoded)
    let pages = try zone.pages().map { EncodedPage($0) }
    let decoded = try pages.reduce(0) { try $0 + $1.decode() }
    guard decoded == sizes.decoded else {
      throw ServerBenchmark.Failure.otherRecords(stored: decoded, acknowledged: sizes.decoded)
    }
    func sides(_ reference: (EncodedPage) throws -> Void) throws -> SideBySide {
      try SideBySide(
        rounds: sizes.rounds, ours: { for page in pages { _ = try page.decode() } },
        reference: { for page in pages { try reference(page) } })
    }
    let parsed = try sides { page in _ = try page.parse() }
    let walked = try sides { page in try page.walk() }
    return [
      LocalBenchmark.Measured(
        result: parsed.result("client.decode", items: sizes.decoded, limit: 2),
        spread: parsed.spread),
      LocalBenchmark.Measured(
        result: walked.result("client.decode.walk", items: sizes.decoded, limit: nil),
        spread: walked.spread),
    ]
  }

  // MARK: Requests

  /// Fetches one small record through the API, compared with the same request in plain libcurl.
  private func request() throws -> LocalBenchmark.Measured {
    let server = try stage.server()
    let zone = try BenchZone("asked", on: server)
    let name = try zone.addSmallRecord()
    let database = server.container().privateCloudDatabase
    let recordID = CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: zone.name))
    let bare = try BareRequest(
      address: server.address(of: "records/lookup"),
      body: #"{"zoneID":{"zoneName":"\#(zone.name)"},"records":[{"recordName":"\#(name)"}]}"#)
    let count = sizes.requests
    let sides = try SideBySide(
      rounds: sizes.rounds, by: .wall,
      ours: {
        try waiting {
          for _ in 0..<count { _ = try await database.record(for: recordID) }
        }
      },
      reference: {
        for _ in 0..<count { try bare.ask() }
      })
    return LocalBenchmark.Measured(
      result: sides.result("client.request", items: count, limit: 1.3), spread: sides.spread)
  }

  // MARK: Memory

  /// The memory for fetching many pages, compared with that for a few.
  private func memory() throws -> LocalBenchmark.Measured {
    let server = try stage.server()
    let (few, many) = (try BenchZone("few", on: server), try BenchZone("many", on: server))
    try few.fill(to: sizes.fewRecords)
    try many.fill(to: sizes.manyRecords)
    let own = ProcessFigures(process: getpid())
    func peak(_ zone: BenchZone) throws -> Double {
      try own.forgetPeak()
      let (database, name) = (server.container().privateCloudDatabase, zone.name)
      let fetched = try waiting { try await database.count(in: name) }
      guard fetched == zone.count else {
        throw ServerBenchmark.Failure.otherRecords(stored: fetched, acknowledged: zone.count)
      }
      return try own.peakKilobytes() / 1_024
    }
    // The first fetch fills caches and pools.
    _ = try peak(few)
    let beside = try peak(few)
    return .figure("client.memory", try peak(many), "MB", beside: beside, limit: 1.1)
  }
}

extension CKDatabase {
  /// Fetches all records of a zone, page by page, without keeping any.
  fileprivate func count(in zoneName: String) async throws -> Int {
    let zoneID = CKRecordZone.ID(zoneName: zoneName)
    var (count, token): (Int, CKServerChangeToken?) = (0, nil)
    while true {
      let page = try await recordZoneChanges(inZoneWith: zoneID, since: token)
      count += page.modificationResultsByID.count
      token = page.changeToken
      if !page.moreComing { return count }
    }
  }
}
