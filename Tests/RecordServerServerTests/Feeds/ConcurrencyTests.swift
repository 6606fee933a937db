import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// Many concurrent writers and readers over both engines.
///
/// The readers' states are compared with the writers' answers.
@Suite(.endsAtAll) struct `Feeds with many writers` {
  /// Runs concurrent writers and readers over a storage in memory.
  ///
  /// - Parameter slice: The number of entries in one read.
  @Test(arguments: [2_000, 1]) func `Every reader arrives at the current state, in memory`(
    slice: Int
  )
    async throws
  {
    var limits = ServiceLimits()
    limits.reading.entriesPerSlice = slice
    try await check(MemoryStorageEngine(), limits)
  }

  @Test func `Every reader arrives at the current state, in SQLite`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await check(engine)
      await engine.close()
    }
  }

  private static let zones = ["A", "B"]
  private static let writers = 32
  private static let readers = 16

  private func check(_ engine: any StorageEngine, _ limits: ServiceLimits = ServiceLimits())
    async throws
  {
    let cloud = Cloud(limits: limits, engine: engine)
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    for zone in Self.zones { try await ada.makeZone(zone) }
    let seed = SeededGenerator.forTest()
    let (left, acknowledged) = (Remaining(Self.writers + 1), Acknowledged())
    let replicas = try await withThrowingTaskGroup(of: [Replica].self) { group in
      for writer in 0..<Self.writers {
        group.addTask {
          var writer = Writer(ada, acknowledged, number: writer, seed: seed.seed)
          try await writer.run()
          left.leave()
          return []
        }
      }
      group.addTask {
        try await Sharer(ada: ada, bob: bob, acknowledged: acknowledged).run()
        left.leave()
        return []
      }
      for reader in 0..<Self.readers {
        group.addTask {
          let replica = Replica(zone: Self.zones[reader % 2], acknowledged)
          return try await Self.follow(ada, replica) { left.areThere }
        }
      }
      group.addTask { try await Self.followDatabase(ada, acknowledged) { left.areThere } }
      group.addTask {
        let seen = try await Self.followShare(bob) { left.areThere }
        let expectation = acknowledged.expectation(of: Sharer.zone).filter {
          Sharer.isShared($0.key)
        }
        #expect(seen == expectation && expectation.count > Sharer.leaves, "\(seed)")
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(replicas.count == Self.readers + Self.zones.count)
    for replica in replicas {
      let expectation = acknowledged.expectation(of: replica.zone)
      #expect(replica.contents == expectation, "\(replica.zone), \(seed)")
      #expect(replica.sightings.subtracting(acknowledged.all) == [], "\(seed)")
    }
    for zone in Self.zones {
      let expectation = acknowledged.expectation(of: zone)
      #expect(
        expectation.count >= Self.writers && acknowledged.deletions(in: zone) >= Self.writers,
        "\(seed)")
      var late = Replica(zone: zone, acknowledged)
      try await late.catchUp(ada)
      #expect(late.contents == expectation, "\(seed)")
    }
  }

  private static func follow(
    _ client: Client, _ replica: Replica, while goesOn: @Sendable () -> Bool
  ) async throws -> [Replica] {
    var replica = replica
    try await repeating(goesOn) { try await replica.catchUp(client) }
    return [replica]
  }

  private static func followDatabase(
    _ client: Client, _ acknowledged: Acknowledged, while goesOn: @Sendable () -> Bool
  ) async throws -> [Replica] {
    var device = Device(acknowledged)
    try await repeating(goesOn) { try await device.catchUp(client) }
    // No writer runs any more.
    #expect(try await device.catchUp(client) == 0)
    return device.replicas.values.sorted { $0.zone < $1.zone }
  }

  private static func followShare(
    _ client: Client, while goesOn: @Sendable () -> Bool
  ) async throws -> [String: Version] {
    var participant = Participant()
    try await repeating(goesOn) { try await participant.catchUp(client) }
    return participant.contents
  }

  /// Reads while others write, and to the end afterwards.
  private static func repeating(_ goesOn: @Sendable () -> Bool, _ catchUp: () async throws -> Void)
    async throws
  {
    while goesOn(), !Task.isCancelled {
      try await catchUp()
      await Task.yield()
    }
    try await catchUp()
  }

  /// The number of tasks of a group that are still running.
  private final class Remaining: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var areThere: Bool { count.withLock { $0 > 0 } }

    func leave() { count.withLock { $0 -= 1 } }
  }
}

// MARK: - Writers

/// A version of a record, from the answer to its writer or from a feed.
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

/// All acknowledged changes.
private final class Acknowledged: Sendable {
  private struct State {
    var saved: Set<Version> = []
    /// The highest tag of each record by zone.
    var tags: [String: [String: Int]] = [:]
    /// The tags that preceded the deletions of a record.
    var deleted: [String: [Int]] = [:]
  }

  private let state = Mutex(State())

  var all: Set<Version> { state.withLock(\.saved) }

  func saved(_ version: Version) {
    state.withLock { state in
      state.saved.insert(version)
      let tag = max(version.tag, state.tags[version.zone]?[version.name] ?? 0)
      state.tags[version.zone, default: [:]][version.name] = tag
    }
  }

  /// The highest tags of a zone's records that writers have received so far.
  func tags(in zone: String) -> [String: Int] { state.withLock { $0.tags[zone] ?? [:] } }

  /// Records a deletion.
  ///
  /// - Parameter version: The version that the deletion named and directly followed.
  func deleted(_ version: Version) {
    state.withLock {
      $0.deleted["\(version.zone) \(version.name)", default: []].append(version.tag)
    }
  }

  func deletions(in zone: String) -> Int {
    state.withLock {
      $0.deleted.reduce(0) { $0 + ($1.key.hasPrefix("\(zone) ") ? $1.value.count : 0) }
    }
  }

  /// The final state of a zone: the version of each record with the highest tag, unless its
  /// deletion was acknowledged.
  func expectation(of zone: String) -> [String: Version] {
    state.withLock { state in
      Dictionary(grouping: state.saved.filter { $0.zone == zone }, by: \.name).compactMapValues {
        versions in
        let last = versions.max { $0.tag < $1.tag }
        return last.flatMap { last in
          state.deleted["\(zone) \(last.name)"]?.contains(last.tag) == true ? nil : last
        }
      }
    }
  }
}

/// Saves and deletes its own records, and some that all writers change, by the tags that it knows.
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
    for count in 0..<10 {
      let zone = Bool.random(using: &random) ? "A" : "B"
      let name = Bool.random(using: &random) ? "shared \(count % 2)" : "own \(number) \(count % 3)"
      try await change(
        name, in: zone, to: "\(number).\(count)",
        deletes: Int.random(in: 0..<3, using: &random) == 0)
    }
    // Some of each stay, and some are deleted.
    for zone in ["A", "B"] {
      try await change("kept \(number)", in: zone, to: "end", deletes: false)
      try await change("gone \(number)", in: zone, to: "end", deletes: false)
      try await change("gone \(number)", in: zone, to: "", deletes: true)
    }
  }

  /// Creates, changes or deletes a record by its known tag.
  ///
  /// A writer that is late learns the current version and changes nothing.
  private mutating func change(_ name: String, in zone: String, to value: String, deletes: Bool)
    async throws
  {
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

// MARK: - Sharing

/// Repeatedly shares a tree of records with a user, who joins at once, and ends the share.
///
/// The last share stays.
private struct Sharer {
  static let zone = "A"
  static let leaves = 3
  private static let rounds = 8

  let ada: Client
  let bob: Client
  let acknowledged: Acknowledged

  static func isShared(_ name: String) -> Bool { name.hasPrefix("tree") }

  func run() async throws {
    for round in 1...Self.rounds {
      try await share(round)
      for leaf in 0..<Self.leaves {
        try await save(
          Self.record("tree leaf \(leaf)", "\(round)", more: #","parent":{"recordName":"tree"}"#))
      }
      guard round < Self.rounds else { return }
      let ended = try await ada.modify(
        zone: Self.zone, ("forceDelete", #""recordName":"Share-\#(round)""#))
      #expect(ended["records"][0]["deleted"].flag == true, "\(ended)")
      // Without its share the root has another tag, which only a lookup reveals.
      let root = try await ada.lookUp(zone: Self.zone, "tree")["records"][0]
      acknowledged.saved(try #require(Version(root, in: Self.zone), "\(root)"))
    }
  }

  private func share(_ round: Int) async throws {
    let share =
      #""recordName":"Share-\#(round)","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"tree"},"publicPermission":"READ_ONLY""#
    let reply = try await save(Self.record("tree", "\(round)"), ("create", share))
    let link = try #require(reply["records"][1]["shortGUID"].text, "\(reply)")
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
    #expect(!joined["serverErrorCode"].isThere, "\(joined)")
  }

  @discardableResult
  private func save(_ record: (String, String), _ others: (String, String)...) async throws -> Reply
  {
    let reply =
      if let other = others.first {
        try await ada.modify(zone: Self.zone, record, other)
      } else {
        try await ada.modify(zone: Self.zone, record)
      }
    acknowledged.saved(try #require(Version(reply["records"][0], in: Self.zone), "\(reply)"))
    return reply
  }

  private static func record(_ name: String, _ value: String, more: String = "") -> (String, String)
  {
    (
      "forceUpdate",
      #""recordName":"\#(name)","recordType":"T","fields":{"n":{"value":"\#(value)"}}\#(more)"#
    )
  }
}

/// A page names each record once, because clients apply its records before its deletions.
private func expectOneState(_ page: Reply) {
  let names = page["records"].list.compactMap { $0["recordName"].text }
  #expect(Set(names).count == names.count, "\(page)")
}

/// A device of the other user, which sees shared records for as long as they are shared.
private struct Participant {
  private var token: String?
  private(set) var contents: [String: Version] = [:]

  mutating func catchUp(_ client: Client) async throws {
    while true {
      let page = try await client.changes(
        in: .shared, zone: Sharer.zone, owner: "_ada", since: token, limit: 2)["zones"][0]
      if let code = page["serverErrorCode"].text {
        #expect(
          code == "ZONE_NOT_FOUND" || page["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED",
          "\(page)")
        (token, contents) = (nil, [:])
        if code == "ZONE_NOT_FOUND" { return }
        continue
      }
      expectOneState(page)
      for record in page["records"].list { try take(record) }
      token = page["syncToken"].text
      if page["moreComing"].flag != true { return }
    }
  }

  private mutating func take(_ record: Reply) throws {
    let name = try #require(record["recordName"].text)
    if name.hasPrefix("Share-") { return }
    #expect(Sharer.isShared(name), "\(record)")
    guard record["deleted"].flag != true else {
      contents[name] = nil
      return
    }
    let version = try #require(Version(record, in: Sharer.zone), "\(record)")
    contents[name] = version
  }
}

// MARK: - Readers

/// A device that reads a zone only if the database's feed names it.
private struct Device {
  private let acknowledged: Acknowledged
  private var token: String?
  private(set) var replicas: [String: Replica] = [:]

  init(_ acknowledged: Acknowledged) { self.acknowledged = acknowledged }

  /// Reads the changed zones.
  ///
  /// The others have no changes that the device lacks.
  ///
  /// - Returns: The number of changed zones.
  @discardableResult
  mutating func catchUp(_ client: Client) async throws -> Int {
    let before = replicas.keys.map { ($0, acknowledged.tags(in: $0)) }
    let moved = try await client.databaseChanges(since: token)
    for item in moved["zones"].list {
      let zone = try #require(item["zoneID"]["zoneName"].text, "\(item)")
      try await replicas[zone, default: Replica(zone: zone, acknowledged)].catchUp(client)
    }
    for (zone, tags) in before { replicas[zone]?.checkHas(tags) }
    token = moved["syncToken"].text
    #expect(moved["moreComing"].flag == false)
    return moved["zones"].list.count
  }
}

/// A device's state of a zone.
private struct Replica {
  let zone: String
  private let acknowledged: Acknowledged
  private var token: String?
  private(set) var contents: [String: Version] = [:]
  /// Every version that it has seen.
  private(set) var sightings: Set<Version> = []
  /// The highest tag of each record, which later ones must exceed.
  private var highest: [String: Int] = [:]
  /// Deleted records that did not return.
  private var gone: Set<String> = []
  /// The tags that writers knew at the first read.
  ///
  /// Earlier deletions are not reported.
  private var known: [String: Int]?

  init(zone: String, _ acknowledged: Acknowledged) {
    (self.zone, self.acknowledged) = (zone, acknowledged)
  }

  /// Reads to the end, two records at a time.
  mutating func catchUp(_ client: Client) async throws {
    let before = acknowledged.tags(in: zone)
    while true {
      let page = try await client.changes(zone: zone, since: token, limit: 2)["zones"][0]
      expectOneState(page)
      for record in page["records"].list { try take(record) }
      token = page["syncToken"].text
      if page["moreComing"].flag != true { break }
    }
    if known == nil { known = acknowledged.tags(in: zone) }
    checkHas(before)
  }

  /// Expects the tags that writers received, or later ones.
  func checkHas(_ tags: [String: Int]) {
    let lacking = tags.filter { name, tag in
      tag > known?[name] ?? -1 && highest[name] ?? -1 < tag && !gone.contains(name)
    }
    #expect(lacking.isEmpty, "A reader of \(zone)")
  }

  private mutating func take(_ record: Reply) throws {
    let name = try #require(record["recordName"].text)
    if record["deleted"].flag == true {
      contents[name] = nil
      gone.insert(name)
      return
    }
    gone.remove(name)
    if record["recordType"].text == "cloudkit.share" { return }
    let version = try #require(Version(record, in: zone), "\(record)")
    // A record that enters or leaves a share is repeated unchanged.
    let least = Sharer.isShared(name) ? highest[name] ?? 0 : (highest[name] ?? -1) + 1
    #expect(version.tag >= least, "\(name) went back from \(highest[name] ?? -1) to \(version.tag)")
    highest[name] = version.tag
    sightings.insert(version)
    contents[name] = version
  }
}
