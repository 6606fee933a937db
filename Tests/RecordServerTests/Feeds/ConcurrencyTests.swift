import CloudRecords
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// Many writers and readers at once, over both engines: what readers have is compared with what writers were told.
@Suite struct `Feeds under many writers` {
  @Test func `bring every reader to the truth in memory, too`() async throws { try await check(MemoryStorageEngine()) }

  @Test func `bring every reader to the truth, and tell the truth on the way`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await check(engine)
      await engine.close()
    }
  }

  private static let zones = ["A", "B"]
  private static let writers = 6

  private func check(_ engine: any StorageEngine) async throws {
    let ada = try await Cloud(engine: engine).user("_ada")
    for zone in Self.zones { try await ada.makeZone(zone) }
    let seed = SeededGenerator.forTest()
    let (left, acknowledged) = (Remaining(Self.writers), Acknowledged())
    let replicas = try await withThrowingTaskGroup(of: Replica?.self) { group in
      for writer in 0..<Self.writers {
        group.addTask {
          var writer = Writer(ada, acknowledged, number: writer, seed: seed.seed)
          try await writer.run()
          left.leave()
          return nil
        }
      }
      for reader in 0..<4 {
        group.addTask { try await Self.follow(ada, zone: Self.zones[reader % 2]) { left.areThere } }
      }
      return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
    }
    #expect(replicas.count == 4)
    for replica in replicas {
      let truth = acknowledged.truth(of: replica.zone)
      #expect(replica.contents == truth, "\(replica.zone), \(seed)")
      #expect(replica.sightings.subtracting(acknowledged.all) == [], "\(seed)")
    }
    for zone in Self.zones {
      let truth = acknowledged.truth(of: zone)
      #expect(truth.count > Self.writers && acknowledged.deletions(in: zone) > Self.writers, "\(seed)")
      var late = Replica(zone: zone)
      try await late.catchUp(ada)
      #expect(late.contents == truth, "\(seed)")
    }
  }

  /// Reads on while others write, and to the end afterwards.
  private static func follow(
    _ client: Client, zone: String, while goesOn: @Sendable () -> Bool
  ) async throws -> Replica {
    var replica = Replica(zone: zone)
    while goesOn() {
      try await replica.catchUp(client)
      await Task.yield()
    }
    try await replica.catchUp(client)
    return replica
  }

  /// How many of a group still work.
  private final class Remaining: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var areThere: Bool { count.withLock { $0 > 0 } }

    func leave() { count.withLock { $0 -= 1 } }
  }
}

// MARK: - What writers are told

/// A version of a record, as an answer to its writer or a feed has it.
private struct Version: Hashable, Sendable {
  var zone: String
  var name: String
  var tag: Int
  var value: String

  init?(_ record: Reply, in zone: String) {
    guard let name = record["recordName"].text,
      let tag = record["recordChangeTag"].text.flatMap({ Int($0, radix: 36) }),
      let value = record.field("n")
    else { return nil }
    (self.zone, self.name, self.tag, self.value) = (zone, name, tag, value)
  }
}

/// All that was acknowledged to anybody.
private final class Acknowledged: Sendable {
  private struct State {
    var saved: Set<Version> = []
    /// Tags that the deletions of a record followed.
    var deleted: [String: [Int]] = [:]
  }

  private let state = Mutex(State())

  var all: Set<Version> { state.withLock(\.saved) }

  func saved(_ version: Version) { state.withLock { _ = $0.saved.insert(version) } }

  /// - Parameter tag: The version that the deletion named, which it therefore followed at once.
  func deleted(_ version: Version) {
    state.withLock { $0.deleted["\(version.zone) \(version.name)", default: []].append(version.tag) }
  }

  func deletions(in zone: String) -> Int {
    state.withLock { $0.deleted.reduce(0) { $0 + ($1.key.hasPrefix("\(zone) ") ? $1.value.count : 0) } }
  }

  /// What a zone must have in the end: of each record the version with the highest tag, unless its deletion was acknowledged.
  func truth(of zone: String) -> [String: Version] {
    state.withLock { state in
      Dictionary(grouping: state.saved.filter { $0.zone == zone }, by: \.name).compactMapValues { versions in
        let last = versions.max { $0.tag < $1.tag }
        return last.flatMap { last in
          state.deleted["\(zone) \(last.name)"]?.contains(last.tag) == true ? nil : last
        }
      }
    }
  }
}

/// Saves and deletes records of its own, and some that all writers want, by the tags that it knows.
private struct Writer {
  private let client: Client
  private let acknowledged: Acknowledged
  private let number: Int
  private var random: SeededGenerator
  private var known: [String: Version] = [:]

  init(_ client: Client, _ acknowledged: Acknowledged, number: Int, seed: UInt64) {
    (self.client, self.acknowledged, self.number) = (client, acknowledged, number)
    random = SeededGenerator(seed: seed &+ UInt64(number))
  }

  mutating func run() async throws {
    for count in 0..<60 {
      let zone = Bool.random(using: &random) ? "A" : "B"
      let name = Bool.random(using: &random) ? "shared \(count % 2)" : "own \(number) \(count % 3)"
      try await change(name, in: zone, to: "\(number).\(count)", deletes: Int.random(in: 0..<3, using: &random) == 0)
    }
    // Something of each stays.
    for zone in ["A", "B"] { try await change("kept \(number)", in: zone, to: "end", deletes: false) }
  }

  /// Makes, changes or deletes a record as it is known; who is late learns what there is, and has changed nothing.
  private mutating func change(_ name: String, in zone: String, to value: String, deletes: Bool) async throws {
    let (place, version) = ("\(zone) \(name)", known["\(zone) \(name)"])
    let fields = #""fields":{"n":{"value":"\#(value)"}}"#
    let tag = version.map { #","recordChangeTag":"\#(String($0.tag, radix: 36))""# } ?? ""
    let operation: (String, String) =
      switch version {
      case nil: ("create", #""recordName":"\#(name)","recordType":"T",\#(fields)"#)
      case _ where deletes: ("delete", #""recordName":"\#(name)"\#(tag)"#)
      default: ("update", #""recordName":"\#(name)",\#(fields)\#(tag)"#)
      }
    let item = try await client.modify(zone: zone, operation)["records"][0]
    switch item["serverErrorCode"].text {
    case nil where operation.0 == "delete":
      if let version { acknowledged.deleted(version) }
      known[place] = nil
    case nil:
      let saved = try #require(Version(item, in: zone), "\(item)")
      acknowledged.saved(saved)
      known[place] = saved
    case "CONFLICT", "EXISTS", "NOT_FOUND":
      #expect(name.hasPrefix("shared"), "\(item)")
      known[place] = Version(try await client.lookUp(zone: zone, name)["records"][0], in: zone)
    default: Issue.record("\(item)")
    }
  }
}

// MARK: - What readers have

/// What a device has of a zone.
private struct Replica {
  let zone: String
  private var token: String?
  private(set) var contents: [String: Version] = [:]
  /// Every version that it ever saw.
  private(set) var sightings: Set<Version> = []
  /// The highest tag of each record, which later ones must exceed.
  private var highest: [String: Int] = [:]

  init(zone: String) { self.zone = zone }

  /// Reads on to the end, two records at a time.
  mutating func catchUp(_ client: Client) async throws {
    while true {
      let page = try await client.changes(zone: zone, since: token, limit: 2)["zones"][0]
      for record in page["records"].list { try take(record) }
      token = page["syncToken"].text
      if page["moreComing"].flag != true { return }
    }
  }

  private mutating func take(_ record: Reply) throws {
    let name = try #require(record["recordName"].text)
    if record["deleted"].flag == true {
      contents[name] = nil
      return
    }
    let version = try #require(Version(record, in: zone), "\(record)")
    #expect(version.tag > highest[name] ?? -1, "\(name) went back from \(highest[name] ?? -1) to \(version.tag)")
    highest[name] = version.tag
    sightings.insert(version)
    contents[name] = version
  }
}
