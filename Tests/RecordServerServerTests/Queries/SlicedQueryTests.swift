import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import Synchronization
import Testing

/// Long queries that are read in slices.
@Suite struct `Sliced queries` {
  private static func limits(_ adjust: (inout ReadingLimits) -> Void) -> ServiceLimits {
    var limits = ServiceLimits()
    adjust(&limits.reading)
    return limits
  }

  private func library(
    _ count: Int, _ limits: ServiceLimits, on engine: (any StorageEngine)? = nil
  ) async throws -> Client {
    let ada = try await Cloud(limits: limits, engine: engine).user("_ada")
    try await ada.makeZone("Z")
    for number in 0..<count {
      let fields =
        #""pages":{"value":\#(number % 7),"type":"INT64"},"place":{"value":{"latitude":\#(number % 5),"longitude":1}}"#
      _ = try await ada.modify(
        zone: "Z",
        (
          "create",
          #""recordName":"\#(Self.name(number))","recordType":"Book","fields":{\#(fields)}"#
        ))
    }
    return ada
  }

  private static func name(_ number: Int) -> String { "n\(number / 10)\(number % 10)" }

  private func ask(_ client: Client, _ query: String, _ more: String = "") async throws -> Reply {
    try await client.ask(
      .private, .recordsQuery,
      #"{"query":{"recordType":"Book"\#(query)},"zoneID":{"zoneName":"Z"}\#(more)}"#)
  }

  private func names(_ reply: Reply) -> [String] {
    reply["records"].list.compactMap { $0["recordName"].text }
  }

  /// Changes a record, which moves it to the end of the zone and of the order.
  private static func moveToEnd(_ number: Int, _ client: Client) async {
    let fields = #""pages":{"value":9,"type":"INT64"}"#
    do {
      let reply = try await client.modify(
        zone: "Z", ("forceUpdate", #""recordName":"\#(name(number))","fields":{\#(fields)}"#))
      #expect(reply.records.first?.contains("@") == true, "\(reply)")
    } catch {
      Issue.record(error)
    }
  }

  /// Queries page by page.
  private func pages(_ client: Client, _ query: String, limit: Int = 200) async throws -> [[String]]
  {
    var pages: [[String]] = []
    var marker: String?
    repeat {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      let reply = try await ask(client, query, #","resultsLimit":\#(limit)\#(next)"#)
      try #require(reply.status == 200, "\(reply)")
      pages.append(names(reply))
      marker = reply["continuationMarker"].text
    } while marker != nil && pages.count < 100
    return pages
  }

  @Test(arguments: [
    "", #","sortBy":[{"fieldName":"pages"}]"#,
    #","sortBy":[{"fieldName":"pages","ascending":false}]"#,
  ])
  func `A query is read in slices`(sorts: String) async throws {
    let engine = ReadCountingEngine()
    let ada = try await library(30, Self.limits { $0.entriesPerSlice = 5 }, on: engine)
    engine.reset()
    #expect(names(try await ask(ada, sorts)).count == 30)
    #expect((6...8).contains(engine.reads), "\(engine.reads)")
  }

  /// The query meets changed records again, at the end of the zone and of the order.
  @Test func `Each record is found once while records change`() async throws {
    let engine = ReadCountingEngine()
    let ada = try await library(30, Self.limits { $0.entriesPerSlice = 5 }, on: engine)
    let next = Counter()
    engine.afterRead {
      if let number = next.take(of: Array(0..<10)) { await Self.moveToEnd(number, ada) }
    }
    let found = names(try await ask(ada, #","sortBy":[{"fieldName":"pages"}]"#))
    engine.afterRead(nil)
    #expect(next.count >= 5)
    #expect(found.sorted() == (0..<30).map(Self.name), "\(found)")
  }

  @Test(arguments: [1, 3, 10])
  func `No record of a later page is missed while records change`(
    limit: Int
  ) async throws {
    let engine = ReadCountingEngine()
    let ada = try await library(30, Self.limits { $0.entriesPerSlice = 5 }, on: engine)
    let next = Counter()
    engine.afterRead {
      if let number = next.take(of: Array(0..<10)) { await Self.moveToEnd(number, ada) }
    }
    let pages = try await pages(ada, #","sortBy":[{"fieldName":"pages"}]"#, limit: limit)
    engine.afterRead(nil)
    #expect(pages.allSatisfy { Set($0).count == $0.count })
    #expect(Set(pages.joined()) == Set((0..<30).map(Self.name)), "\(pages)")
  }

  @Test func `Queries that hold too much memory together are rejected, and release it at the end`()
    async throws
  {
    let engine = ReadCountingEngine()
    var limits = Self.limits {
      ($0.entriesPerSlice, $0.pausedBytes, $0.pausedBytesOfOne) = (5, 100, 100)
    }
    let ada = try await library(30, limits, on: engine)
    let query = #","sortBy":[{"fieldName":"pages"}]"#
    let reply = try await ask(ada, query)
    #expect(reply["serverErrorCode"].text == "TRY_AGAIN_LATER", "\(reply)")
    limits.reading.pausedBytes = 1 << 20
    let bob = try await library(30, limits, on: ReadCountingEngine())
    for _ in 0..<200 { #expect(names(try await ask(bob, query)).count == 30) }
  }

  @Test func `Cancelled queries end`() async throws {
    let engine = ReadCountingEngine()
    let ada = try await library(60, Self.limits { $0.entriesPerSlice = 1 }, on: engine)
    let query = Mutex<Task<String?, any Error>?>(nil)
    engine.reset()
    engine.afterRead { if engine.reads == 3 { query.withLock { $0?.cancel() } } }
    let task = query.withLock { query in
      let task = Task {
        try await ask(ada, #","sortBy":[{"fieldName":"pages"}]"#)["serverErrorCode"].text
      }
      query = task
      return task
    }
    #expect(try await task.value == "TRY_AGAIN_LATER")
    #expect(engine.reads == 3)
  }

  @Test(arguments: [
    "", #","sortBy":[{"fieldName":"pages"}]"#,
    #","sortBy":[{"fieldName":"pages","ascending":false}]"#,
  ])
  func `An answer ends with a cursor after a number of entries`(sorts: String) async throws {
    let engine = EntryCountingEngine()
    var limits = Self.limits { ($0.entriesPerSlice, $0.entriesPerPage) = (4, 20) }
    limits.entriesVisitedWithoutIndex = 0
    let ada = try await library(60, limits, on: engine)
    // Without an index, a page cannot end before the whole zone was read.
    let filter =
      #","filterBy":[{"comparator":"NOT_IN","fieldName":"pages","fieldValue":{"value":[1,2,3,4,6],"type":"INT64_LIST"}}]"#
    let whole = try await pages(ada, filter + sorts)
    #expect(whole.count == 1 && whole[0].count == 17)
    try await ada.cloud.server.runMaintenance()
    let parts = try await pages(ada, filter + sorts)
    #expect(parts.count > 2 && parts.allSatisfy { $0.count < 17 }, "\(parts)")
    #expect(Array(parts.joined()) == whole[0])
    engine.reset()
    _ = try await ask(ada, filter + sorts)
    #expect(engine.entries < 200, "\(engine.entries)")
  }

  @Test func `A cursor reveals nothing about hidden records`() async throws {
    let limits = Self.limits { ($0.entriesPerSlice, $0.entriesPerPage) = (1, 1) }
    var indexed = limits
    indexed.entriesVisitedWithoutIndex = 0
    let zone = try await SharedZone(Cloud(limits: indexed))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(
      .save("a-secret", text: "s"), .save("root", text: "x"), .save("z-secret", text: "s"))
    try await zone.modify(.save("child", under: .record("root"), text: "y"))
    try await zone.share("s", of: "root", with: [(bob, "READ_ONLY")])
    let place = Client.zoneID(SharedZone.name, "_ada")
    func page(_ marker: String?) async throws -> Reply {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      return try await bob.ask(
        .shared, .recordsQuery, #"{"query":{"recordType":"Node"},"zoneID":\#(place)\#(next)}"#)
    }
    _ = try await page(nil)
    try await zone.cloud.server.runMaintenance()
    var (found, markers): ([String], [String]) = ([], [])
    repeat {
      let reply = try await page(markers.last)
      try #require(reply.status == 200 && markers.count < 10, "\(reply)")
      found += names(reply)
      guard let marker = reply["continuationMarker"].text else { break }
      markers.append(marker)
    } while true
    #expect(found == ["child", "root"])
    #expect(!markers.isEmpty)
    for marker in markers {
      let text = String(decoding: try #require(Data(base64Encoded: marker)), as: UTF8.self)
      #expect(!text.contains("secret"), "\(text)")
    }
  }

  @Test func `Endless queries are rejected, and get an index if one helps`() async throws {
    let engine = ReadCountingEngine()
    var limits = Self.limits {
      ($0.entriesPerSlice, $0.entriesPerPage, $0.entriesPerRequest) = (4, 20, 20)
    }
    limits.entriesVisitedWithoutIndex = 0
    let ada = try await library(30, limits, on: engine)
    let sorted = #","sortBy":[{"fieldName":"pages"}]"#
    let refused = try await ask(ada, sorted)
    #expect(refused["serverErrorCode"].text == "TRY_AGAIN_LATER", "\(refused)")
    try await ada.cloud.server.runMaintenance()
    #expect(try await pages(ada, sorted).joined().count == 30)
    let near = #","sortBy":[{"fieldName":"place","relativeLocation":{"latitude":0,"longitude":0}}]"#
    let endless = try await ask(ada, near)
    #expect(
      endless["serverErrorCode"].text == "BAD_REQUEST"
        && endless["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    #expect(endless["reason"].text?.contains("entries") == true, "\(endless)")
  }
}
