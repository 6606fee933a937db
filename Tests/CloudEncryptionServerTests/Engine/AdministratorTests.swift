import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import TestSupport
import Testing

/// Administrators of a share, who may change its keys.
@Suite struct `Administrators of shares` {
  private let cloud = Cloud()

  /// Ada shares a zone with Bob, an administrator, and Eve.
  private struct World {
    let ada, bob, eve: Device
    let scope: KeyScope

    func deliver(_ users: Set<String>, administrators: Set<String> = ["_bob"]) async throws
      -> KeyDelivery
    {
      try await ada.engine.deliverKeys(of: scope, to: users, administrators: administrators)
    }

    func seal(_ device: Device, _ text: String) async throws -> CloudRecord {
      try await device.seal(text, owner: "_ada")
    }
  }

  private func world(certifies: Bool = true) async throws -> World {
    let ada = try await cloud.started("_ada")
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    _ = try await cloud.started("_cleo")
    try await ada.makeZone()
    func invited(_ user: String, _ type: String) -> String {
      #"{"userIdentity":{"userRecordName":"\#(user)"},"type":"\#(type)","#
        + #""permission":"READ_WRITE","acceptanceStatus":"PENDING"}"#
    }
    let created = try await ada.modify(
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#
          + #""participants":[\#(invited("_bob", "ADMINISTRATOR")),\#(invited("_eve", "USER"))]"#
      ))
    let short = try #require(created["records"][0]["shortGUID"].text, "\(created)")
    for device in [bob, eve] {
      _ = try await device.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    }
    let world = World(ada: ada, bob: bob, eve: eve, scope: KeyScope(zone: ada.zone()))
    try await ada.engine.decide(on: world.scope, ShareDecisions(inviting: ["_bob", "_eve"]))
    _ = try await world.deliver(["_bob", "_eve"], administrators: certifies ? ["_bob"] : [])
    for device in [bob, eve] { try await device.engine.refreshKeys(of: world.scope) }
    return world
  }

  @Test func `An administrator makes a new key that a removed person does not get`() async throws {
    let world = try await world()
    let before = try await world.seal(world.bob, "before")
    #expect(await world.eve.read(before) == "before")
    try await world.bob.engine.administer(world.scope, ShareDecisions(removing: ["_eve"]))
    let after = try await world.seal(world.bob, "after")
    #expect(await world.eve.read(after) != "after")
    #expect(await world.ada.read(after) == "after")
    // The owner takes over the decision, even if the server still names the person.
    let delivery = try await world.deliver(["_bob", "_eve"])
    #expect(delivery.recipients == ["_bob"] && delivery.uninvited == ["_eve"])
    let owners = try await world.seal(world.ada, "owner's")
    #expect(await world.eve.read(owners) != "owner's")
    #expect(await world.bob.read(owners) == "owner's")
  }

  @Test func `An administrator gives keys to a person`() async throws {
    let world = try await world()
    try await world.bob.engine.administer(world.scope, ShareDecisions(inviting: ["_cleo"]))
    let delivery = try await world.deliver(["_bob", "_eve", "_cleo"])
    #expect(delivery.recipients == ["_bob", "_cleo", "_eve"] && !delivery.isRotated)
  }

  @Test func `Only a certified administrator changes keys`() async throws {
    let world = try await world(certifies: false)
    for device in [world.bob, world.eve] {
      #expect(
        await refusal {
          try await device.engine.administer(world.scope, ShareDecisions(removing: ["_eve"]))
        }
          == "notOwner")
    }
  }

  @Test func `A device that has seen the owner's later bag rejects a former administrator's`()
    async throws
  {
    let world = try await world()
    // Bob's device writes a bag that the server keeps for later.
    try await world.bob.engine.administer(world.scope, ShareDecisions(inviting: ["_cleo"]))
    let place = world.scope.place
    let bobs = try #require(try await world.ada.exchange.data(place))
    _ = try await world.deliver(["_bob", "_eve"], administrators: [])
    let note = try await world.seal(world.ada, "now")
    try await world.eve.engine.refreshKeys(of: world.scope)
    for device in [world.eve, world.bob] {
      if device.user == "_bob" { try await device.engine.refreshKeys(of: world.scope) }
      device.exchange.show(bobs, at: place)
      #expect(
        await refusal { try await device.engine.refreshKeys(of: world.scope) } == "rolledBack")
    }
    world.bob.exchange.forgedAnswer(nil)
    #expect(
      await refusal {
        try await world.bob.engine.administer(world.scope, ShareDecisions(removing: ["_eve"]))
      }
        == "notOwner")
    #expect(await world.eve.read(note) == "now")
  }
}
