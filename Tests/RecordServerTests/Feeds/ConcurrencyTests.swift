import CloudRecords
import Foundation
import RecordServer
import SQLiteRecordStorage
import TestSupport
import Testing

/// Many writers and readers at once, over the engine that servers run on.
@Suite struct `Feeds under many writers` {
  @Test func `bring every reader to the truth, and tell the truth on the way`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await check(engine)
      await engine.close()
    }
  }

  private func check(_ engine: SQLiteStorageEngine) async throws {
    let ada = try await Cloud(engine: engine).user("_ada")
    for zone in ["A", "B"] { try await ada.makeZone(zone) }
    let seed = SeededGenerator.forTest()
    let contents = try await withThrowingTaskGroup(of: [String: String].self) { group in
      for writer in 0..<6 { group.addTask { try await Self.write(ada, writer, seed.seed) } }
      for reader in 0..<4 {
        group.addTask { try await Self.follow(ada, zone: reader % 2 == 0 ? "A" : "B", untilQuiet: 40) }
      }
      var contents: [[String: String]] = []
      for try await result in group where !result.isEmpty { contents.append(result) }
      return contents
    }
    var truths: [[String: String]] = []
    for zone in ["A", "B"] {
      var replica = Replica()
      _ = try await replica.catchUp(ada, zone)
      truths.append(replica.contents)
    }
    #expect(truths.allSatisfy { $0.count == 6 }, "\(seed)")
    // A reader that ended early has an older state; whoever went on to the end has the last one.
    #expect(contents.filter { truths.contains($0) }.count >= 1, "\(seed)")
  }

  /// Each writer counts a record of its own up in both zones, so that a reader can tell a step back.
  private static func write(_ client: Client, _ writer: Int, _ seed: UInt64) async throws -> [String: String] {
    var random = SeededGenerator(seed: seed &+ UInt64(writer))
    for count in 1...25 {
      let zone = Bool.random(using: &random) || count > 24 ? "A" : "B"
      for each in count == 25 ? ["A", "B"] : [zone] {
        let reply = try await client.modify(
          zone: each,
          ("forceUpdate", #""recordName":"w\#(writer)","recordType":"T","fields":{"n":{"value":"\#(count)"}}"#))
        #expect(reply["records"][0]["recordChangeTag"].isThere, "\(reply)")
      }
    }
    return [:]
  }

  private static func follow(_ client: Client, zone: String, untilQuiet limit: Int) async throws -> [String: String] {
    var replica = Replica()
    var quiet = 0
    while quiet < limit {
      quiet = try await replica.catchUp(client, zone) == 0 ? quiet + 1 : 0
      try await Task.sleep(for: .milliseconds(2))
    }
    return replica.contents
  }

  /// What a device has of a zone.
  private struct Replica {
    var token: String?
    var contents: [String: String] = [:]

    /// Reads on to the end, two records at a time.
    ///
    /// - Returns: How many records came.
    mutating func catchUp(_ client: Client, _ zone: String) async throws -> Int {
      var count = 0
      while true {
        let page = try await client.changes(zone: zone, since: token, limit: 2)["zones"][0]
        for record in page["records"].list {
          let name = try #require(record["recordName"].text)
          let value = try #require(record.field("n"))
          let before = contents[name].flatMap { Int($0) } ?? 0
          #expect(before <= Int(value) ?? -1, "\(name) went back from \(before) to \(value)")
          contents[name] = value
          count += 1
        }
        token = page["syncToken"].text
        if page["moreComing"].flag != true { return count }
      }
    }
  }
}
