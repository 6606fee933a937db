import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

/// Administrators of a share, who may change its keys.
@Suite struct `Administrators of shares` {
  private let cloud = Cloud()

  /// Ada shares a zone with Eve and with Bob, who is an administrator.
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

  private func world(
    certifies: Bool = true, bobs: @escaping RandomBytes = { SecureRandom.bytes($0) }
  ) async throws -> World {
    let ada = try await cloud.started("_ada")
    let (bob, eve) = (
      try await cloud.device("_bob", randomBytes: bobs), try await cloud.started("_eve")
    )
    _ = try await bob.engine.start()
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
    try await ada.engine.decide(
      on: world.scope, ShareDecisions(inviting: ["_bob", "_eve"], administrators: ["_bob"]))
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
    // The owner adopts Bob's removal of Eve, even if the server still lists her.
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

  @Test func `An administrator's earlier invitation does not undo the owner's removal`()
    async throws
  {
    let world = try await world()
    try await world.bob.engine.administer(world.scope, ShareDecisions(inviting: ["_cleo"]))
    try await world.ada.engine.decide(on: world.scope, ShareDecisions(removing: ["_cleo"]))
    #expect(try await world.deliver(["_bob", "_eve"]).recipients == ["_bob", "_eve"])
    let again = try await world.deliver(["_bob", "_eve", "_cleo"])
    #expect(again.recipients == ["_bob", "_eve"] && again.uninvited == ["_cleo"])
  }

  @Test func `Only the program's decision makes an administrator, not the server's claim`()
    async throws
  {
    let world = try await world(certifies: false)
    _ = try await world.deliver(["_bob", "_eve"], administrators: ["_eve"])
    #expect(try await world.ada.engine.localRing(of: world.scope)?.administrators.isEmpty == true)
    #expect(
      await refusal {
        try await world.eve.engine.administer(world.scope, ShareDecisions(removing: ["_bob"]))
      } == "notOwner")
    var decisions = ShareDecisions()
    decisions.roles = ["_eve": true]
    try await world.ada.engine.decide(on: world.scope, decisions)
    // Another device of the owner, which has not made the decision, keeps the role.
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await world.ada.engine.recoveryCode()))
    for device in [world.ada, second] {
      _ = try await device.engine.deliverKeys(
        of: world.scope, to: ["_bob", "_eve"], administrators: ["_bob", "_eve"])
      let ring = try #require(try await device.engine.localRing(of: world.scope))
      #expect(ring.administrators.map(\.userRecordName) == ["_bob", "_eve"])
    }
    // A removed person comes back without the role.
    for decisions in [ShareDecisions(removing: ["_eve"]), ShareDecisions(inviting: ["_eve"])] {
      try await world.ada.engine.decide(on: world.scope, decisions)
      _ = try await world.deliver(["_bob", "_eve"], administrators: ["_bob", "_eve"])
    }
    let ring = try #require(try await world.ada.engine.localRing(of: world.scope))
    #expect(ring.administrators.map(\.userRecordName) == ["_bob"])
    #expect(ring.recipients.map(\.userRecordName) == ["_ada", "_bob", "_eve"])
  }

  @Test func `The owner's other device keeps the role of a person who became an administrator`()
    async throws
  {
    let world = try await world()
    func decide(isAdministrator: Bool) async throws {
      var decisions = ShareDecisions()
      decisions.roles = ["_eve": isAdministrator]
      try await world.ada.engine.decide(on: world.scope, decisions)
    }
    // Both devices know the ordinary invitation.
    try await decide(isAdministrator: false)
    _ = try await world.ada.engine.start()
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await world.ada.engine.recoveryCode()))
    _ = try await second.engine.start()
    try await decide(isAdministrator: true)
    for device in [world.ada, second] {
      _ = try await device.engine.deliverKeys(
        of: world.scope, to: ["_bob", "_eve"], administrators: ["_bob", "_eve"])
      let ring = try #require(try await device.engine.localRing(of: world.scope))
      #expect(ring.administrators.map(\.userRecordName) == ["_bob", "_eve"])
    }
  }

  @Test(arguments: [false, true])
  func `An administrator can reinvite a person whom only an administrator removed`(
    isRemovedByOwner: Bool
  ) async throws {
    let world = try await world()
    try await world.bob.engine.administer(world.scope, ShareDecisions(removing: ["_eve"]))
    #expect(try await world.deliver(["_bob"]).recipients == ["_bob"])
    if isRemovedByOwner {
      try await world.ada.engine.decide(on: world.scope, ShareDecisions(removing: ["_eve"]))
    }
    try await world.bob.engine.administer(world.scope, ShareDecisions(inviting: ["_eve"]))
    let delivery = try await world.deliver(["_bob", "_eve"])
    #expect(delivery.recipients == (isRemovedByOwner ? ["_bob"] : ["_bob", "_eve"]))
  }

  /// The bag with which the administrator then replaces the forged one.
  enum SecondBag: CaseIterable { case none, damaged, owners }

  @Test(arguments: [false, true], SecondBag.allCases)
  func `An administrator's forged bag neither stops the owner nor locks the owner out`(
    isReadableByOthers: Bool, second: SecondBag
  ) async throws {
    let forger = Forger("_bob")
    let world = try await world(bobs: forger.randomBytes)
    let ring = try #require(try await world.bob.engine.localRing(of: world.scope))
    let place = world.scope.place
    let owners = try #require(try await world.ada.exchange.data(place))
    // Either an epoch that devices accept, with keys that the owner cannot open, or the last epoch
    // that fits, which devices reject.
    let next = ring.followingByAdministrator(
      epoch: isReadableByOthers ? ring.epoch + 1_000_000 : Int64.max - 1)
    var bag = try KeyRingBag.bytes(
      of: next, signedBy: forger.keys, in: ContainerAddress.test, forger.randomBytes)
    if isReadableByOthers {
      bag = try forger.spoiling(bag, for: try #require(ring.recipients.first))
    }
    let key = next.newest.identifier.bytes
    try await world.bob.replaceBag(at: place, in: .shared, by: bag, sealing: key)
    let eves = await refusal { try await world.eve.engine.refreshKeys(of: world.scope) }
    #expect(eves == (isReadableByOthers ? nil : "forgedBag"))
    if second != .none {
      try await world.bob.replaceBag(
        at: place, in: .shared, by: second == .owners ? owners : [0], sealing: key)
    }
    _ = try await world.deliver(["_eve"])
    let note = try await world.seal(world.ada, "text")
    #expect(await refusal { try await world.eve.engine.refreshKeys(of: world.scope) } == nil)
    #expect(await world.eve.read(note) == "text")
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
