import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import TestSupport
import Testing

/// The people who may write in a share, as the owner decided.
@Suite struct `Writers of shares` {
  private let cloud = Cloud()

  /// Ada shares a zone with Bob, who may write, and Eve, who may only read.
  private struct World {
    let ada, bob, eve: Device
    let scope: KeyScope

    func decide(_ decisions: ShareDecisions, _ users: Set<String> = ["_bob", "_eve"]) async throws
      -> KeyDelivery
    {
      try await ada.engine.decide(on: scope, decisions)
      return try await ada.engine.deliverKeys(of: scope, to: users)
    }

    func seal(_ device: Device, _ text: String) async throws -> CloudRecord {
      try await device.seal(text, owner: "_ada")
    }
  }

  private func world(
    _ decisions: ShareDecisions = ShareDecisions(inviting: ["_bob"], toRead: ["_eve"])
  ) async throws -> World {
    let ada = try await cloud.started("_ada")
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    try await ada.makeZone()
    let world = World(ada: ada, bob: bob, eve: eve, scope: KeyScope(zone: ada.zone()))
    try await share(world, with: ["_bob", "_eve"])
    _ = try await world.decide(decisions)
    for device in [bob, eve] { try await device.engine.refreshKeys(of: world.scope) }
    return world
  }

  /// Shows the zone and its key bag to people.
  private func share(_ world: World, with users: [String]) async throws {
    let people = users.map {
      #"{"userIdentity":{"userRecordName":"\#($0)"},"type":"ADMINISTRATOR","#
        + #""permission":"READ_WRITE","acceptanceStatus":"PENDING"}"#
    }.joined(separator: ",")
    let saved = try await world.ada.modify(
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#
          + #""participants":[\#(people)]"#
      ))
    let short = try #require(saved["records"][0]["shortGUID"].text, "\(saved)")
    for user in users {
      _ = try await cloud.device(user).ask(
        .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    }
  }

  @Test func `A writer's values are read by all, and a reader's by none`() async throws {
    let world = try await world()
    let (bobs, eves) = (try await world.seal(world.bob, "b"), try await world.seal(world.eve, "e"))
    for device in [world.ada, world.bob, world.eve] {
      #expect(await device.read(bobs) == "b")
      #expect(await device.read(eves) == "notWriter")
    }
  }

  @Test func `A new writer's values are rejected until the device learns of the writer`()
    async throws
  {
    let world = try await world()
    let place = world.scope.place
    let former = try #require(try await world.ada.exchange.data(place))
    _ = try await world.decide(ShareDecisions(inviting: ["_eve"]))
    let eves = try await world.seal(world.eve, "e")
    // The server shows the device an earlier bag, or the owner has not written the next one yet.
    world.bob.exchange.show(former, at: place)
    #expect(await world.bob.read(eves) == "notWriter")
    world.bob.exchange.forgedAnswer(nil)
    let before = world.bob.exchange.lookUps
    #expect(await world.bob.read(eves) == "e")
    #expect(world.bob.exchange.lookUps == before + 1)
  }

  @Test func `Within one response, the people of a scope are fetched once`() async throws {
    let world = try await world()
    let eves = try await world.seal(world.eve, "e")
    let before = world.bob.exchange.lookUps
    await MissingKeys.$noted.withValue(MissingKeys()) {
      for _ in 0..<5 { #expect(await world.bob.read(eves) == "notWriter") }
    }
    #expect(world.bob.exchange.lookUps == before + 1)
  }

  @Test func `A removed person's earlier values stay readable`() async throws {
    let world = try await world()
    let bobs = try await world.seal(world.bob, "before")
    try await world.ada.engine.decide(on: world.scope, ShareDecisions(removing: ["_bob"]))
    #expect(try await world.ada.engine.deliverKeys(of: world.scope, to: ["_eve"]).isRotated)
    for device in [world.ada, world.eve] { #expect(await device.read(bobs) == "before") }
    try await world.eve.engine.refreshKeys(of: world.scope)
    // Eve may only read, so her values under the new key are an error.
    let eves = try await world.seal(world.eve, "after")
    #expect(await world.ada.read(eves) == "notWriter")
  }

  @Test func `A person who may no longer write is stopped by the next key`() async throws {
    let world = try await world()
    let before = try await world.seal(world.bob, "before")
    let delivery = try await world.decide(ShareDecisions(toRead: ["_bob"]))
    // Nothing has to be sealed again, because Bob still reads everything.
    #expect(!delivery.isRotated && delivery.recipients == ["_bob", "_eve"])
    try await world.bob.engine.refreshKeys(of: world.scope)
    let after = try await world.seal(world.bob, "after")
    for device in [world.ada, world.bob] {
      #expect(await device.read(before) == "before")
      #expect(await device.read(after) == "notWriter")
    }
  }

  @Test(arguments: [true, false]) func `People of a link have the permission of the share`(
    mayWrite: Bool
  ) async throws {
    var decisions = ShareDecisions(admitting: ["_bob", "_eve"])
    decisions.everyone = ShareDecisions.Permission(mayWrite: mayWrite)
    let world = try await world(decisions)
    let bobs = try await world.seal(world.bob, "b")
    #expect(await world.ada.read(bobs) == (mayWrite ? "b" : "notWriter"))
    var changed = ShareDecisions()
    changed.everyone = ShareDecisions.Permission(mayWrite: !mayWrite)
    _ = try await world.decide(changed)
    try await world.bob.engine.refreshKeys(of: world.scope)
    let next = try await world.seal(world.bob, "n")
    #expect(await world.ada.read(next) == (mayWrite ? "notWriter" : "n"))
    #expect(await world.ada.read(bobs) == "b")
  }

  @Test func `The user's other devices know who may write`() async throws {
    let world = try await world()
    let second = try await cloud.device("_ada")
    let code = try #require(try await world.ada.engine.recoveryCode())
    _ = try await second.engine.recover(code)
    let (bobs, eves) = (try await world.seal(world.bob, "b"), try await world.seal(world.eve, "e"))
    #expect(await second.read(bobs) == "b")
    #expect(await second.read(eves) == "notWriter")
    _ = try await second.engine.deliverKeys(of: world.scope, to: ["_bob", "_eve"])
    #expect(await second.read(eves) == "notWriter")
  }

  @Test func `An administrator's decision about writing holds for the owner, too`() async throws {
    let world = try await world()
    _ = try await cloud.started("_cleo")
    try await world.ada.engine.decide(on: world.scope, ShareDecisions(administrators: ["_bob"]))
    _ = try await world.ada.engine.deliverKeys(
      of: world.scope, to: ["_bob", "_eve"], administrators: ["_bob"])
    try await world.bob.engine.administer(
      world.scope, ShareDecisions(inviting: ["_eve"], toRead: ["_cleo"]))
    try await world.eve.engine.refreshKeys(of: world.scope)
    let eves = try await world.seal(world.eve, "e")
    for device in [world.ada, world.bob] { #expect(await device.read(eves) == "e") }
    let cleos = try await cloud.device("_cleo")
    #expect(
      try await world.ada.engine.deliverKeys(of: world.scope, to: ["_bob", "_eve", "_cleo"])
        .recipients == ["_bob", "_cleo", "_eve"])
    let ring = try #require(try await world.ada.engine.localRing(of: world.scope))
    let cleo = try #require(ring.recipients.first { $0.userRecordName == cleos.user })
    #expect(!ring.mayWrite(cleo, under: ring.newest.identifier))
  }

  @Test func `Values of a batch are signed together, and fail alone`() async throws {
    let world = try await world()
    let records = (0..<3).map { index in
      RecordToSeal(
        [
          "secret": Field(
            index == 1 ? .reference(RecordReference(recordName: "x")) : .string("\(index)"),
            isEncrypted: true)
        ],
        of: world.bob.record("r\(index)", owner: "_ada"), recordType: "Note")
    }
    let sealed = try await world.bob.engine.seal(records)
    #expect(refusal { _ = try sealed[1].get() } == "cannotBeSealed")
    for index in [0, 2] {
      let note = Device.note(records[index].record, try sealed[index].get().fields)
      #expect(await world.ada.read(note) == "\(index)")
    }
  }
}
