import CloudRecords
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// Many writers and readers at once, over both engines.
@Suite struct `Feeds under many writers` {
  @Test func `bring every reader to the truth in memory, too`() async throws { try await check(MemoryStorageEngine()) }

  @Test func `bring every reader to the truth, and tell the truth on the way`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await check(engine)
      await engine.close()
    }
  }

  private func check(_ engine: any StorageEngine) async throws {
    let ada = try await Cloud(engine: engine).user("_ada")
    for zone in ["A", "B"] { try await ada.makeZone(zone) }
    let seed = SeededGenerator.forTest()
    let writers = Remaining(6)
    let contents = try await withThrowingTaskGroup(of: (zone: String, contents: [String: String])?.self) { group in
      for writer in 0..<6 {
        group.addTask {
          try await Self.write(ada, writer, seed.seed)
          writers.leave()
          return nil
        }
      }
      for reader in 0..<4 {
        group.addTask {
          let zone = reader % 2 == 0 ? "A" : "B"
          return (zone, try await Self.follow(ada, zone: zone) { writers.areThere })
        }
      }
      return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
    }
    #expect(contents.count == 4)
    for zone in ["A", "B"] {
      var replica = Replica()
      _ = try await replica.catchUp(ada, zone)
      #expect(replica.contents.count == 6, "\(seed)")
      for reader in contents where reader.zone == zone { #expect(reader.contents == replica.contents, "\(seed)") }
    }
  }

  /// Each writer counts a record of its own up in both zones, so that a reader can tell a step back.
  private static func write(_ client: Client, _ writer: Int, _ seed: UInt64) async throws {
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
  }

  /// Reads on while others write, and to the end afterwards.
  private static func follow(
    _ client: Client, zone: String, while goesOn: @Sendable () -> Bool
  ) async throws -> [String: String] {
    var replica = Replica()
    while goesOn() {
      _ = try await replica.catchUp(client, zone)
      await Task.yield()
    }
    _ = try await replica.catchUp(client, zone)
    return replica.contents
  }

  /// How many of a group still work.
  private final class Remaining: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var areThere: Bool { count.withLock { $0 > 0 } }

    func leave() { count.withLock { $0 -= 1 } }
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
