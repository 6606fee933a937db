import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// A zone with two record shares and a zone share, two participants, and random events from a seed.
@Suite struct `Partly shared zones` {
  @Test func `Every user sees exactly the visible records, in memory`() async throws {
    try await check(MemoryStorageEngine(), steps: 1_500)
  }

  @Test func `Every user sees exactly the visible records, on the disk`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await check(engine, steps: 400)
      await engine.close()
    }
  }

  private func check(_ engine: any StorageEngine, steps: Int) async throws {
    var world = try await SharedZoneWorld(engine)
    for step in 1...steps {
      try await world.step()
      if step % 5 == 0 { try await world.check(allDevices: step % 50 == 0) }
    }
    // Only long runs are sure to have visible records, deletions, expired tokens and rejections.
    if steps < 1_000 { return }
    for count in [world.visibleRecordCount, world.deletions, world.expiries, world.rejections] {
      #expect(count > 0, "\(world.random)")
    }
  }
}

/// A zone with users who change it and devices that follow it.
private struct SharedZoneWorld {
  private static let names = (0..<9).map { "r\($0)" }
  private static let shares = ["S1", "S2"]
  private static let zoneShare = "cloudkit.zoneshare"

  private(set) var random = SeededGenerator.forTest()
  private let limits = ServiceLimits()
  private let zone: SharedZone
  private let people: [Client]
  private var readers: [SharedZoneReader]
  /// The records that the users could see.
  private var views: [String: SharedZoneView] = [:]
  /// The positions of the readers.
  private var marks: [Mark]
  /// The number of steps in which time has passed.
  ///
  /// Each step is a third of the lifetime of tombstones.
  private var passes = 0
  /// The links of shares, by their names.
  private var links: [String: String] = [:]
  /// Old feed tokens, which late requests carry.
  private var oldTokens: [String] = []
  /// The number of records that participants saw at checks.
  private(set) var visibleRecordCount = 0
  /// How many deletions participants learned of, how many of their tokens expired, and how many
  /// deletions were rejected because of their cascade.
  private(set) var (deletions, expiries, rejections) = (0, 0, 0)

  /// The position of a reader.
  private struct Mark {
    var tokenView: SharedZoneView.TokenView?
    /// Whether it has read everything that existed when its listing began.
    var isAtEnd = true
    /// The times at which its listing began and at which it last read.
    var (began, read) = (0, 0)
  }

  init(_ engine: any StorageEngine) async throws {
    let cloud = Cloud(engine: engine)
    zone = try await SharedZone(cloud)
    people = [try await cloud.user("_bob"), try await cloud.user("_carol")]
    readers = []
    for client in people + [zone.ada] {
      for reverse in [false, true] {
        readers.append(SharedZoneReader(client, zone, reverse: reverse))
      }
    }
    marks = readers.map { _ in Mark() }
    for client in people { views[client.name] = SharedZoneView() }
  }
}

// MARK: - Events

extension SharedZoneWorld {
  /// Runs a random event, and lets some devices read a page.
  mutating func step() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<32: try await change(by: zone.ada)
    case 32..<46: try await change(by: person)
    case 46..<51: try await deleteTwice()
    case 51..<56: try await recreate()
    case 56..<60: try await cascade()
    case 60..<63: try await attemptCascade()
    case 63..<70: try await share()
    case 70..<71: try await open()
    case 71..<73: try await modify([.delete(random(Self.shares + [Self.zoneShare]))])
    case 73..<79: try await modify([.people(guests, of: random(Self.shares + [Self.zoneShare]))])
    case 79..<94: try await accept()
    case 94..<96: try await modify(by: person, [.delete(random(Self.shares))])
    case 96..<98:
      if let place = try await zone.token() { oldTokens.append(place) }
    default: try await passTime()
    }
    for index in readers.indices where Int.random(in: 0..<4, using: &random) == 0 {
      _ = try await read(index, limit: Int.random(in: 1...3, using: &random))
    }
  }

  /// A device reads a page.
  ///
  /// Returns whether a participant has more to read, or must start over.
  private mutating func read(_ index: Int, limit: Int) async throws -> Bool {
    let (name, mark) = (readers[index].client.name, marks[index])
    let outcome = try await readers[index].readPage(limit: limit)
    let reported = readers[index].takeTold()
    guard let view = views[name] else { return outcome == .more }
    let comment = "\(name), reversed: \(readers[index].reverse), \(random)"
    deletions += reported.count
    for record in reported { #expect(view.mayLearnDeletion(of: record), "\(record), \(comment)") }
    #expect((outcome == .hidden) == !view.participates, "\(comment)")
    if outcome == .expired {
      expiries += 1
      let isOld = mark.isAtEnd ? passes - mark.began >= 3 : passes > mark.read
      #expect(isOld || mark.tokenView != view.tokenView, "the token was good, \(comment)")
    }
    let isAtEnd = outcome != .more
    marks[index] = Mark(
      tokenView: view.tokenView, isAtEnd: isAtEnd,
      began: mark.isAtEnd || outcome == .expired ? passes : mark.began,
      read: passes)
    return outcome == .more || outcome == .expired
  }

  /// A device reads everything.
  private mutating func catchUp(_ index: Int, limit: Int) async throws {
    for _ in 0..<2 { while try await read(index, limit: limit) {} }
  }

  /// Records what the users see now.
  private mutating func look() async throws {
    let expectation = try await SharedZoneExpectation(zone)
    for client in people {
      views[client.name]?.note(
        expectation.participations(of: client.name), expectation.sharesByRecord(visibleTo: client))
    }
  }

  private var person: Client {
    mutating get { Bool.random(using: &random) ? people[0] : people[1] }
  }

  private mutating func random(_ names: [String]) -> String {
    names[Int.random(in: 0..<names.count, using: &random)]
  }

  /// Some of the users with their permissions.
  private var guests: [(String, String)] {
    mutating get {
      var guests: [(String, String)] = []
      for person in people where Int.random(in: 0..<4, using: &random) > 0 {
        guests.append((person.name, random(["NONE", "READ_ONLY", "READ_WRITE", "READ_WRITE"])))
      }
      return guests
    }
  }

  /// Saves some records and deletes others.
  ///
  /// A late request carries an old token.
  private mutating func change(by client: Client) async throws {
    var operations: [SharedZoneOperation] = []
    let names = Self.names.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
    for name in names { operations.append(change(of: name)) }
    let isLate = !oldTokens.isEmpty && Int.random(in: 0..<3, using: &random) == 0
    let known = isLate && client.name == zone.ada.name ? random(oldTokens) : nil
    try await modify(by: client, atomic: Bool.random(using: &random), knowing: known, operations)
  }

  private mutating func change(of name: String) -> SharedZoneOperation {
    if Int.random(in: 0..<8, using: &random) == 0 { return .delete(name) }
    let parents: [SharedZoneOperation.Parent?] = [
      nil, SharedZoneOperation.Parent.none, .record(random(Self.names)),
      .record(random(Self.names)),
    ]
    let action = random(["", "", "", "", "", "NONE", "DELETE_SELF", "VALIDATE"])
    let link = action.isEmpty ? nil : SharedZoneOperation.Link(to: random(Self.names), action)
    var operation = SharedZoneOperation.save(
      name, under: parents[Int.random(in: 0..<4, using: &random)], link,
      text: "\(Int.random(in: 0..<100, using: &random))")
    operation.kind = random(["create", "forceUpdate", "forceUpdate", "forceReplace"])
    return operation
  }

  /// Deletes a record by two requests, the second of which carries an old token.
  private mutating func deleteTwice() async throws {
    guard let place = try await zone.token() else { return }
    let name = random(Self.names)
    for _ in 0..<2 { try await modify(knowing: place, [.delete(name)]) }
  }

  /// Deletes a record, and creates a separate one of the same name.
  private mutating func recreate() async throws {
    let name = random(Self.names)
    try await modify([.delete(name)])
    try await modify([.save(name, under: SharedZoneOperation.Parent.none, text: "new")])
  }

  /// Deletes a record through a cascade, and may recreate it in the same request.
  private mutating func cascade() async throws {
    let names = Self.names.shuffled(using: &random)
    try await modify([
      .save(names[0]), .save(names[1], SharedZoneOperation.Link(to: names[0], "DELETE_SELF")),
    ])
    let recreation = SharedZoneOperation.save(
      names[1], under: SharedZoneOperation.Parent.none, text: "again")
    try await modify([.delete(names[0])] + (Bool.random(using: &random) ? [recreation] : []))
  }

  /// Attempts a cascade that would leave a child or break a validating reference.
  ///
  /// The server must delete nothing, unless it deletes those, too.
  private mutating func attemptCascade() async throws {
    let names = Self.names.shuffled(using: &random)
    let dependent =
      Bool.random(using: &random)
      ? SharedZoneOperation.save(
        names[2], under: .record(names[1]), SharedZoneOperation.Link(to: names[3], "NONE"))
      : .save(names[2], SharedZoneOperation.Link(to: names[1], "VALIDATE"))
    let created = try await modify([
      .save(names[0]), .save(names[1], SharedZoneOperation.Link(to: names[0], "DELETE_SELF")),
      dependent,
    ])
    guard created["records"].list.allSatisfy({ !$0["serverErrorCode"].isThere }) else { return }
    let client = Bool.random(using: &random) ? zone.ada : person
    let before = try await SharedZoneExpectation(zone).contents(for: zone.ada)
    let reply = try await modify(by: client, [.delete(names[0])])
    #expect(
      try await SharedZoneExpectation(zone).contents(for: zone.ada) == before, "\(reply), \(random)"
    )
    let isRejected = reply["records"][0]["serverErrorCode"].text == "VALIDATING_REFERENCE_ERROR"
    #expect(isRejected || client.name != zone.ada.name, "\(reply), \(random)")
    rejections += isRejected ? 1 : 0
    try await modify([.delete(names[0]), .delete(names[2])])
  }

  /// Opens a share to all users with its link, or closes it.
  private mutating func open() async throws {
    try await modify([
      .open(random(Self.shares + [Self.zoneShare]), random(["NONE", "READ_ONLY", "READ_WRITE"]))
    ])
  }

  private mutating func share() async throws {
    let isWhole = Int.random(in: 0..<12, using: &random) == 0
    let name = isWhole ? Self.zoneShare : random(Self.shares)
    let reply = try await modify([
      isWhole ? .shareZone(with: guests) : .share(name, of: random(Self.names), with: guests)
    ])
    if let link = reply["records"][0]["shortGUID"].text { links[name] = link }
  }

  private mutating func accept() async throws {
    let list = links.sorted { $0.key < $1.key }.map { #"{"value":"\#($0.value)"}"# }.joined(
      separator: ",")
    let reply = try await person.ask(.public, .recordsAccept, #"{"shortGUIDs":[\#(list)]}"#)
    expectOrdinary(reply["results"])
    try await look()
  }

  /// Moves the clock, so that tombstones are dropped and earlier tokens expire.
  private mutating func passTime() async throws {
    zone.cloud.pass(seconds: limits.tombstoneSeconds / 3)
    passes += 1
    _ = try await zone.cloud.server.runMaintenance()
  }

  @discardableResult
  private mutating func modify(
    by client: Client? = nil, atomic: Bool = true, knowing: String? = nil,
    _ operations: [SharedZoneOperation]
  ) async throws -> Reply {
    let reply = try await zone.modify(by: client, atomic: atomic, knowing: knowing, operations)
    expectOrdinary(reply["records"])
    try await look()
    return reply
  }

  /// Expects only errors with a legitimate cause.
  private func expectOrdinary(_ items: Reply) {
    let codes: Set = [
      "ACCESS_DENIED", "ATOMIC_ERROR", "BAD_REQUEST", "EXISTS", "NOT_FOUND",
      "VALIDATING_REFERENCE_ERROR",
      "ZONE_NOT_FOUND",
    ]
    for item in items.list {
      if let code = item["serverErrorCode"].text {
        #expect(codes.contains(code), "\(item), \(random)")
      }
    }
  }
}

// MARK: - Checks

extension SharedZoneWorld {
  /// Compares what users can look up with what the rules allow, and the devices' states with the
  /// current one.
  mutating func check(allDevices: Bool) async throws {
    let expectation = try await SharedZoneExpectation(zone)
    expectation.expectWhole("\(random)")
    for client in people + [zone.ada] {
      let (visible, asked) = (
        expectation.contents(for: client), Self.names + Self.shares + [Self.zoneShare]
      )
      if client.name != zone.ada.name {
        visibleRecordCount += visible.keys.count(where: Self.names.contains)
      }
      var found: [String: String] = [:]
      for record in try await zone.lookUp(by: client, asked)["records"].list
      where !record["serverErrorCode"].isThere {
        found[record["recordName"].text ?? "?"] = SharedZoneReader.content(of: record)
      }
      #expect(found == visible, "\(client.name) looked up, \(random)")
    }
    for index in readers.indices where allDevices || Int.random(in: 0..<3, using: &random) == 0 {
      try await catchUp(index, limit: Int.random(in: 1...4, using: &random))
      let (reader, visible) = (readers[index], expectation.contents(for: readers[index].client))
      #expect(
        reader.contents == visible, "\(reader.client.name), reversed: \(reader.reverse), \(random)")
      #expect(try await reader.anew() == visible, "new device of \(reader.client.name), \(random)")
    }
  }
}
