import CloudRecords
import RecordServer
import RecordStorage
import Synchronization
import Testing

/// A participant's device that follows tokens has the same state as a new one, whatever happens to
/// shares and their records.
@Suite struct `Feeds of participants` {
  private static let people = [("_bob", "READ_ONLY")]

  /// Creates two trees: a with ak, and b.
  ///
  /// Bob participates in the share S2 of b, and has read all that it shows.
  private func begin(
    reverse: Bool, _ permission: String = "READ_ONLY",
    on engine: any StorageEngine = MemoryStorageEngine()
  ) async throws -> (zone: SharedZone, reader: SharedZoneReader) {
    let zone = try await SharedZone(Cloud(engine: engine))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("a"), .save("ak", under: .record("a")), .save("b"), .save("other"))
    try await zone.share("S2", of: "b", with: [(bob, permission)])
    var reader = SharedZoneReader(bob, zone, reverse: reverse)
    try await reader.catchUp()
    #expect(reader.names == (permission == "NONE" ? ["S2"] : ["S2", "b"]))
    return (zone, reader)
  }

  @Test(arguments: [false, true]) func `Joining another share adds what it shows`(
    reverse: Bool
  ) async throws {
    var (zone, reader) = try await begin(reverse: reverse)
    // The share covers the records before the token is issued.
    let reply = try await zone.modify(.share("S1", of: "a", with: Self.people))
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b"])
    try await zone.accept(try #require(reply["records"][0]["shortGUID"].text), reader.client)
    try await reader.catchUp()
    #expect(reader.names == ["S1", "S2", "a", "ak", "b"])
    #expect(try await reader.anew() == reader.contents)
  }

  @Test(arguments: [false, true]) func `The end of one of two shares removes what only it showed`(
    reverse: Bool
  )
    async throws
  {
    for way in ["ended", "left", "removed"] {
      var (zone, reader) = try await begin(reverse: reverse)
      try await zone.share("S1", of: "a", with: [(reader.client, "READ_WRITE")])
      try await reader.catchUp()
      let reply =
        switch way {
        case "ended": try await zone.modify(.delete("S1"))
        case "left": try await zone.modify(by: reader.client, .delete("S1"))
        default: try await zone.modify(.people([], of: "S1"))
        }
      #expect(!reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
      try await reader.catchUp()
      #expect(reader.names == ["S2", "b"], "\(way)")
    }
  }

  @Test(arguments: [false, true])
  func `A feed follows a participant's permission, from none and back`(
    reverse: Bool
  )
    async throws
  {
    var (zone, reader) = try await begin(reverse: reverse, "NONE")
    try await zone.modify(.people([("_bob", "READ_ONLY")], of: "S2"))
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b"])
    try await zone.modify(.people([("_bob", "NONE")], of: "S2"))
    try await reader.catchUp()
    #expect(reader.names == ["S2"])
    #expect(try await zone.lookUp(by: reader.client, "b") == ["b: NOT_FOUND"])
  }

  @Test(arguments: [false, true]) func `A feed continues while the visible part stays the same`(
    reverse: Bool
  )
    async throws
  {
    var (zone, reader) = try await begin(reverse: reverse)
    let carol = try await zone.cloud.user("_carol")
    try await zone.modify(.people([("_bob", "READ_WRITE"), ("_carol", "READ_ONLY")], of: "S2"))
    try await zone.share("S1", of: "a", with: [(carol, "READ_ONLY")])
    try await zone.modify(.save("b", text: "new"))
    try await reader.catchUp()
    #expect(reader.beginnings == 0)
    #expect(try await reader.anew() == reader.contents)
  }

  /// A zone share reports no deletions to participants who see nothing else.
  @Test func `A zone share shows nothing to participants without permission`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("a"), .save("b"))
    let reply = try await zone.modify(.shareZone(with: [("_bob", "READ_ONLY")]))
    try await zone.accept(try #require(reply["records"][0]["shortGUID"].text), bob)
    var reader = SharedZoneReader(bob, zone)
    try await reader.catchUp()
    #expect(reader.names == ["a", "b", "cloudkit.zoneshare"])
    try await zone.modify(.people([("_bob", "NONE")], of: "cloudkit.zoneshare"))
    try await reader.catchUp()
    #expect(reader.names == ["cloudkit.zoneshare"])
    let token = try #require(
      try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]["syncToken"].text)
    try await zone.modify(.delete("a"))
    let pages = try await bob.changes(in: .shared, zone: "Z", owner: "_ada", since: token)["zones"]
    #expect(pages[0].records == [] && pages[0]["syncToken"].isThere, "\(pages)")
  }

  @Test(arguments: [false, true])
  func `A record recreated outside the share is reported as deleted`(reverse: Bool) async throws {
    var (zone, reader) = try await begin(reverse: reverse)
    try await zone.modify(.save("kid", under: .record("b")))
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b", "kid"])
    try await zone.modify(.delete("kid"))
    try await zone.modify(.save("kid"))
    try await zone.modify(.save("kid", text: "changed"))
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b"])
    // It may be deleted and recreated twice before a device reads.
    var late = SharedZoneReader(reader.client, zone, reverse: reverse)
    try await zone.modify(.save("kid", under: .record("b")))
    try await late.catchUp()
    for _ in 0..<2 {
      try await zone.modify(.delete("kid"))
      try await zone.modify(.save("kid", under: .record("a")))
    }
    try await late.catchUp()
    #expect(late.names == ["S2", "b"])
  }

  @Test(arguments: [false, true]) func `A deletion that was requested twice is reported`(
    reverse: Bool
  )
    async throws
  {
    var (zone, reader) = try await begin(reverse: reverse)
    try await zone.modify(.save("kid", under: .record("b")))
    try await reader.catchUp()
    let known = try await zone.token()
    for _ in 0..<2 {
      #expect(try await zone.modify(knowing: known, .delete("kid")).records == ["kid: deleted"])
    }
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b"])
  }

  // MARK: Records that joined and left a share between two reads

  @Test(arguments: [false, true])
  func `New participants do not see records that left the share before`(
    reverse: Bool
  ) async throws {
    var (zone, earlier) = try await begin(reverse: reverse)
    try await zone.modify(.save("kid", under: .record("b")), .save("kid 2", under: .record("b")))
    try await earlier.catchUp()
    try await zone.modify(.save("kid", under: SharedZoneOperation.Parent.none), .delete("kid 2"))
    let dan = try await zone.cloud.user("_dan")
    try await zone.join("S2", dan, beside: [("_bob", "READ_ONLY")])
    var reader = SharedZoneReader(dan, zone, reverse: reverse)
    for round in 0..<3 {
      try await zone.modify(.save("kid", text: "\(round)"))
      try await reader.catchUp(limit: 1)
      #expect(reader.names == ["S2", "b"])
    }
    try await zone.modify(.delete("kid"))
    try await reader.catchUp(limit: 1)
    #expect(reader.told == [])
    // A reader that saw the records gets their deletions.
    try await earlier.catchUp(limit: 1)
    #expect(earlier.names == ["S2", "b"])
    #expect(Set(earlier.takeTold()) == ["kid", "kid 2"])
  }

  @Test(arguments: [false, true]) func `A record that left the share is reported once`(
    reverse: Bool
  )
    async throws
  {
    var (zone, reader) = try await begin(reverse: reverse)
    try await zone.modify(.save("kid", under: .record("b")))
    try await reader.catchUp(limit: 50)
    try await zone.modify(.save("kid", under: SharedZoneOperation.Parent.none))
    try await reader.catchUp(limit: 50)
    #expect(reader.takeTold() == ["kid"])
    // Later changes outside the share are not reported.
    try await zone.modify(.save("kid", text: "new"))
    try await reader.catchUp(limit: 50)
    try await zone.modify(.delete("kid"))
    try await reader.catchUp(limit: 50)
    #expect(reader.told == [])
  }

  @Test(arguments: [false, true])
  func `New participants of a zone share do not see earlier deletions`(
    reverse: Bool
  ) async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("a"), .save("b"), .save("c"))
    try await zone.modify(.delete("b"))
    let place = try await zone.token()
    let reply = try await zone.modify(.shareZone(with: [("_bob", "READ_ONLY")]))
    try await zone.accept(try #require(reply["records"][0]["shortGUID"].text), bob)
    var reader = SharedZoneReader(bob, zone, reverse: reverse)
    try await reader.catchUp(limit: 1)
    // Late requests notify the owner's devices again, even of records that never existed.
    try await zone.modify(knowing: place, .delete("b"), .delete("never"))
    try await reader.catchUp(limit: 1)
    #expect(reader.names == ["a", "c", "cloudkit.zoneshare"])
    #expect(reader.told == [])
    try await zone.modify(.delete("a"))
    try await reader.catchUp(limit: 1)
    #expect(reader.told == ["a"])
  }

  /// The ways in which a participant temporarily loses access to a share's records.
  enum Absence: String, CaseIterable {
    case left, removed, permissionRemoved, linkClosed, shareRecreated
  }

  @Test(arguments: Absence.allCases, [false, true])
  func `Returning participants do not see records that joined and left the share meanwhile`(
    absence: Absence, reverse: Bool
  ) async throws {
    var (zone, reader) = try await begin(reverse: reverse)
    let bob = reader.client
    let isOpen = absence == .linkClosed
    try await zone.share("S1", of: "a", with: isOpen ? [] : [(bob, "READ_ONLY")])
    if isOpen { try await zone.open("S1", to: bob) }
    try await zone.modify(.save("seen", under: .record("a")))
    try await reader.catchUp()
    #expect(reader.names == ["S1", "S2", "a", "ak", "b", "seen"])
    let beginnings = reader.beginnings
    switch absence {
    case .left: try await zone.modify(by: bob, .delete("S1"))
    case .removed: try await zone.modify(.people([], of: "S1"))
    case .permissionRemoved: try await zone.modify(.people([("_bob", "NONE")], of: "S1"))
    case .linkClosed: try await zone.modify(.open("S1", "NONE"))
    case .shareRecreated: try await zone.modify(.delete("S1"))
    }
    // One record joins and leaves the share, and one that the device has leaves it.
    try await zone.modify(.save("secret", under: .record("a")))
    try await zone.modify(
      .save("secret", under: SharedZoneOperation.Parent.none),
      .save("seen", under: SharedZoneOperation.Parent.none))
    switch absence {
    case .left, .removed: try await zone.join("S1", bob)
    case .permissionRemoved: try await zone.modify(.people([("_bob", "READ_ONLY")], of: "S1"))
    case .linkClosed: try await zone.open("S1", to: bob)
    case .shareRecreated: try await zone.share("S1", of: "a", with: [(bob, "READ_ONLY")])
    }
    for round in 0..<3 {
      try await reader.catchUp(limit: 1)
      #expect(reader.names == ["S1", "S2", "a", "ak", "b"])
      try await zone.modify(.save("secret", text: "\(round)"), .save("seen", text: "\(round)"))
    }
    #expect(reader.told == [])
    #expect(reader.beginnings == beginnings + 1)
  }

  /// A record does not keep ended shares forever, and keeps each existing share once.
  @Test func `A record's former shares are kept for as long as they exist`() async throws {
    let engine = MemoryStorageEngine()
    var (zone, reader) = try await begin(reverse: false, on: engine)
    let bob = reader.client
    for round in 0..<3 {
      try await zone.share("T\(round)", of: "other", with: [(bob, "READ_ONLY")])
      try await reader.catchUp()
      #expect(reader.names.contains("other"))
      try await zone.modify(.delete("T\(round)"))
      try await reader.catchUp()
      #expect(!reader.names.contains("other"))
      #expect(try await formerShares(of: "other", in: engine) == [])
    }
    for _ in 0..<3 {
      try await zone.modify(.save("other", under: .record("b")))
      try await reader.catchUp()
      #expect(reader.names == ["S2", "b", "other"])
      #expect(try await formerShares(of: "other", in: engine) == [])
      try await zone.modify(.save("other", under: SharedZoneOperation.Parent.none))
      try await zone.modify(.save("other", text: "new"))
      try await reader.catchUp()
      #expect(reader.names == ["S2", "b"])
      #expect(try await formerShares(of: "other", in: engine) == ["S2"])
    }
    try await zone.modify(.delete("S2"))
    try await zone.modify(.save("other", text: "newer"))
    #expect(try await formerShares(of: "other", in: engine) == [])
  }

  private func formerShares(of name: String, in engine: any StorageEngine) async throws -> [String]
  {
    let found = Found()
    try await engine.changeStoredRecords { record in
      if record.recordName == name { found.names.withLock { $0 = record.formerShares.map(\.name) } }
    }
    return found.names.withLock(\.self)
  }

  private final class Found: Sendable {
    let names = Mutex<[String]>([])
  }
}
