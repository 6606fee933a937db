import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import RecordServer
import TestSupport
import Testing

/// Attacks by a server that shows devices old, false or different keys.
@Suite struct `Servers that act against their users` {
  private let cloud = Cloud()

  /// The key that seals a record's value.
  private func key(of note: CloudRecord, _ device: Device) throws -> KeyReference {
    let place = RecordPlace(
      container: ContainerAddress.test, record: note.identifier, recordType: note.recordType)
    return try #require(try SealedFields(note.fields, of: place).keys.first)
  }

  /// Ada's device, and the zone Z with a bag from before Eve's removal.
  private func zoneWithRemovedPerson() async throws -> (
    ada: Device, scope: KeyScope, formerBag: [UInt8], formerNotes: [CloudRecord]
  ) {
    let ada = try await cloud.started("_ada")
    for user in ["_bob", "_eve"] { _ = try await cloud.started(user) }
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    _ = try await ada.deliver(scope, to: ["_bob", "_eve"])
    let first = try await ada.seal("first")
    let bag = try #require(try await ada.exchange.data(scope.place))
    let delivery = try await ada.deliver(scope, to: ["_bob"])
    #expect(delivery.isRotated)
    return (ada, scope, bag, [first, try await ada.seal("second")])
  }

  /// Gets the keys from another device of the user.
  private func approve(_ new: Device, from device: Device) async throws {
    try await new.engine.askForApproval(deviceName: "new")
    let request = try #require(try await device.engine.waitingDevices().first?.request)
    try await device.engine.beginApproval(of: request)
    guard case .compare(let digits) = try await new.engine.approvalProgress() else {
      Issue.record("The new device shows no digits.")
      return
    }
    try await device.engine.approve(request, code: digits)
    #expect(try await new.engine.takeApprovedKeys())
  }

  // MARK: Earlier keys

  @Test(arguments: [true, false])
  func `After a pretended deletion, nothing is sealed under a key of a removed person`(
    showsFormerBag: Bool
  ) async throws {
    let (ada, scope, former, notes) = try await zoneWithRemovedPerson()
    try await ada.engine.forgetKeys(of: scope.zone)
    ada.exchange.forgedAnswer { place, result in
      place == scope.place && showsFormerBag ? altered(result) { $0 = former } : result
    }
    let note = try await ada.seal("after")
    for known in notes { #expect(try key(of: note, ada) != key(of: known, ada)) }
    // The former keys still open what they sealed, as far as the shown bag has them.
    #expect(await ada.read(notes[0]) == "first")
    #expect(await ada.read(note) == "after")
  }

  @Test func `A participant rejects an earlier ring after a pretended deletion`() async throws {
    let (owner, others) = try await sharedZone()
    let place = others.scope.place
    let earlier = try #require(try await owner.exchange.data(place))
    try await others.device.engine.refreshKeys(of: others.scope)
    try await owner.engine.rotateKeys(of: others.scope)
    try await others.device.engine.refreshKeys(of: others.scope)
    try await others.device.engine.forgetKeys(of: others.scope.zone)
    others.device.exchange.forgedAnswer { shown, result in
      shown == place ? altered(result) { $0 = earlier } : result
    }
    #expect(
      await refusal { try await others.device.engine.refreshKeys(of: others.scope) }
        == "rolledBack")
    others.device.exchange.forgedAnswer(nil)
    try await others.device.engine.refreshKeys(of: others.scope)
  }

  /// A zone that Ada shares with Bob.
  private func sharedZone() async throws -> (
    owner: Device, participant: (device: Device, scope: KeyScope)
  ) {
    let (ada, bob) = (try await cloud.started("_ada"), try await cloud.started("_bob"))
    try await ada.makeZone()
    let created = try await ada.modify(
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#
          + #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","#
          + #""permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
      ))
    let short = try #require(created["records"][0]["shortGUID"].text, "\(created)")
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    let scope = KeyScope(zone: ada.zone())
    _ = try await ada.deliver(scope, to: ["_bob"])
    return (ada, (bob, scope))
  }

  @Test func `A new device knows of a removal at once`() async throws {
    let (ada, scope, former, notes) = try await zoneWithRemovedPerson()
    let new = try await cloud.device("_ada")
    try await new.engine.recover(try #require(try await ada.engine.recoveryCode()))
    new.exchange.forgedAnswer { place, result in
      place == scope.place ? altered(result) { $0 = former } : result
    }
    let note = try await new.seal("after")
    for known in notes { #expect(try key(of: note, new) != key(of: known, new)) }
  }

  @Test(arguments: [true, false])
  func `A new device knows which rings have ended`(isApproved: Bool) async throws {
    let (ada, scope, former, notes) = try await zoneWithRemovedPerson()
    try await ada.deleteZone()
    try await ada.engine.forgetKeys(of: scope.zone)
    await ada.engine.sendState()
    try await ada.makeZone()
    let new = try await cloud.device("_ada")
    if isApproved {
      try await approve(new, from: ada)
    } else {
      try await new.engine.recover(try #require(try await ada.engine.recoveryCode()))
    }
    _ = try await ada.seal("of the new zone")
    new.exchange.forgedAnswer { place, result in
      place == scope.place ? altered(result) { $0 = former } : result
    }
    let note = try await new.seal("after")
    for known in notes { #expect(try key(of: note, new) != key(of: known, new)) }
  }

  // MARK: False people

  @Test func `The safety number belongs to the trusted keys, whatever the server shows`()
    async throws
  {
    let (ada, bob) = (try await cloud.started("_ada"), try await cloud.started("_bob"))
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    // At first contact, the server shows keys that it has made itself.
    let false1 = try await Cloud().started("_bob")
    let forged = try #require(try await false1.exchange.data(.publicUser(nil)))
    ada.exchange.forgedAnswer { place, result in
      place == .publicUser("_bob") ? altered(result) { $0 = forged } : result
    }
    _ = try await ada.deliver(scope, to: ["_bob"])
    let first = try await ada.seal("first")
    ada.exchange.forgedAnswer(nil)

    let person = try #require(try await ada.engine.person("_bob"))
    let digits = try #require(try await bob.engine.person("_ada")?.safetyNumber)
    #expect(person.safetyNumber != digits)
    #expect(person.changedSafetyNumber == digits)
    #expect(person.known.verified == nil)
    // The digits of the true keys replace the forged ones, and every key that those could open.
    #expect(try await ada.engine.verify("_bob", safetyNumber: digits))
    let trusted = try #require(try await ada.engine.person("_bob"))
    #expect(trusted.safetyNumber == digits && trusted.changedSafetyNumber == nil)
    #expect(trusted.known.verified?.time == Timestamp(milliseconds: 1_700_000_000_000))
    #expect(try await ada.engine.scopesToReseal() == [scope])
    #expect(try await key(of: ada.seal("second"), ada) != key(of: first, ada))
  }

  @Test func `Digits of neither keys confirm nothing`() async throws {
    let ada = try await cloud.started("_ada")
    #expect(try await ada.engine.person("_bob") == nil)
    #expect(try await !ada.engine.verify("_bob", safetyNumber: "12345"))
    _ = try await cloud.started("_bob")
    let person = try #require(try await ada.engine.person("_bob"))
    #expect(
      try await !ada.engine.verify("_bob", safetyNumber: String(person.safetyNumber.dropLast())))
    #expect(try await ada.engine.people().map(\.verified) == [nil])
    // Digits may be typed in any grouping.
    let typed = person.safetyNumber.filter { $0 != " " }
    #expect(try await ada.engine.verify("_bob", safetyNumber: typed))
    #expect(try await ada.engine.people().first?.verified != nil)
  }

  @Test(arguments: [true, false])
  func `A verification reaches the user's other devices`(isApproved: Bool) async throws {
    let ada = try await cloud.started("_ada")
    _ = try await cloud.started("_bob")
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    let person = try #require(try await ada.engine.person("_bob"))
    #expect(try await ada.engine.verify("_bob", safetyNumber: person.safetyNumber))
    _ = try await second.engine.start()
    #expect(try await second.engine.people() == ada.engine.people())
    let new = try await cloud.device("_ada")
    if isApproved {
      try await approve(new, from: second)
    } else {
      try await new.engine.recover(try #require(try await ada.engine.recoveryCode()))
    }
    #expect(try await new.engine.people() == ada.engine.people())
    #expect(try await new.engine.people().count == 1)
  }

  @Test func `A device gets a state that the server hid from it at first`() async throws {
    let ada = try await cloud.started("_ada")
    _ = try await cloud.started("_bob")
    let before = try #require(try await ada.exchange.data(.privateUser))
    let person = try #require(try await ada.engine.person("_bob"))
    #expect(try await ada.engine.verify("_bob", safetyNumber: person.safetyNumber))
    let second = try await cloud.device("_ada")
    second.exchange.forgedAnswer { place, result in
      place == .privateUser ? altered(result) { $0 = before } : result
    }
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(try await second.engine.people().isEmpty)
    second.exchange.forgedAnswer(nil)
    _ = try await second.engine.start()
    #expect(try await second.engine.people() == ada.engine.people())
  }

  @Test func `A state too large for the private key bag does not stop key delivery`() async throws {
    let ada = try await cloud.started("_ada")
    _ = try await cloud.started("_bob")
    try await ada.makeZone()
    let note = try await ada.seal("text")
    let people = Set((0..<100).map { "_\(String(repeating: "x", count: 60))\($0)" })
    for number in 0..<40 {
      let other = KeyScope(zone: ada.zone("S\(number)"))
      try await ada.engine.decide(on: other, ShareDecisions(inviting: people))
    }
    let scope = KeyScope(zone: ada.zone())
    try await ada.engine.decide(on: scope, ShareDecisions(inviting: ["_bob"]))
    _ = try await ada.engine.start()
    #expect(await ada.read(note) == "text")
    _ = try await ada.engine.link(to: scope)
    // Of equally old scopes, those whose names come last stay in the bag.
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(try await second.engine.deliverKeys(of: scope, to: ["_bob"]).recipients == ["_bob"])
    // A state that cannot be sent stops nothing, either.
    ada.exchange.fail(.lostRequest)
    try await ada.engine.decide(on: scope, ShareDecisions(inviting: ["_cleo"]))
    _ = try await ada.engine.start()
  }

  // MARK: Invented people

  @Test func `A participant without an invitation gets no keys before a decision`() async throws {
    let ada = try await cloud.started("_ada")
    for user in ["_bob", "_eve"] { _ = try await cloud.started(user) }
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    let first = try await ada.seal("first")
    // The server names a participant of a share that the user never made.
    let invented = try await ada.engine.deliverKeys(of: scope, to: ["_eve"])
    #expect(invented.recipients.isEmpty && invented.uninvited == ["_eve"] && !invented.isRotated)
    #expect(try await ada.engine.keyRequests() == [scope: ["_eve"]])
    // It adds one to a true share.
    _ = try await ada.deliver(scope, to: ["_bob"])
    let mixed = try await ada.engine.deliverKeys(of: scope, to: ["_bob", "_eve"])
    #expect(mixed.recipients == ["_bob"] && mixed.uninvited == ["_eve"])
    #expect(try await key(of: ada.seal("second"), ada) == key(of: first, ada))
    // The key request disappears with the participant, and comes back with it.
    _ = try await ada.engine.deliverKeys(of: scope, to: ["_bob"])
    #expect(try await ada.engine.keyRequests().isEmpty)
    _ = try await ada.engine.deliverKeys(of: scope, to: ["_bob", "_eve"])
    let allowed = try await ada.engine.allow("_eve", in: scope)
    #expect(allowed.recipients == ["_bob", "_eve"] && allowed.uninvited.isEmpty)
    #expect(try await ada.engine.keyRequests().isEmpty)
  }

  @Test func `A rejected or removed person waits for another invitation`() async throws {
    let ada = try await cloud.started("_ada")
    _ = try await cloud.started("_eve")
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    _ = try await ada.engine.deliverKeys(of: scope, to: ["_eve"])
    try await ada.engine.decide(on: scope, ShareDecisions(removing: ["_eve"]))
    #expect(try await ada.engine.keyRequests().isEmpty)
    #expect(try await ada.engine.deliverKeys(of: scope, to: ["_eve"]).recipients.isEmpty)
    #expect(try await ada.deliver(scope, to: ["_eve"]).recipients == ["_eve"])
    // The program removes the person, and the server still names them.
    try await ada.engine.decide(on: scope, ShareDecisions(removing: ["_eve"]))
    let removed = try await ada.engine.deliverKeys(of: scope, to: ["_eve"])
    #expect(removed.isRotated && removed.recipients.isEmpty)
    let again = try await ada.engine.deliverKeys(of: scope, to: ["_eve"])
    #expect(again.recipients.isEmpty && again.uninvited == ["_eve"])
  }

  @Test func `An invitation on one device counts on the user's other devices`() async throws {
    let ada = try await cloud.started("_ada")
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    // Bob has no keys yet, so the invitation must reach the device that delivers them.
    #expect(try await ada.deliver(scope, to: ["_bob"]).waiting == ["_bob"])
    _ = try await cloud.started("_bob")
    _ = try await second.engine.start()
    #expect(try await second.engine.deliverKeys(of: scope, to: ["_bob"]).recipients == ["_bob"])
    // A device that knows nothing of a recipient keeps the one that the owner's signature names.
    _ = try await cloud.started("_cleo")
    _ = try await ada.deliver(scope, to: ["_bob", "_cleo"])
    let kept = try await second.engine.deliverKeys(of: scope, to: ["_bob", "_cleo"])
    #expect(kept.recipients == ["_bob", "_cleo"] && !kept.isRotated && kept.uninvited.isEmpty)
  }

  @Test func `Only the owner's decisions are recorded`() async throws {
    let bob = try await cloud.started("_bob")
    let scope = KeyScope(zone: bob.zone(owner: "_ada"))
    try await bob.engine.decide(on: scope, ShareDecisions(inviting: ["_eve"]))
    #expect(try await bob.engine.keyRequests().isEmpty)
    #expect(await refusal { _ = try await bob.engine.allow("_eve", in: scope) } == "notOwner")
  }
}
