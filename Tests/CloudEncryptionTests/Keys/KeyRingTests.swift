import CloudEncryption
import CloudRecords
import Cryptography
import EncryptionTestSupport
import TestSupport
import Testing

@Suite struct `Key rings` {
  private let ada = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_ada")
  private let bob = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_bob")
  private let eve = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_eve")
  private let scope = KeyScope(zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada"))

  private func random(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

  private func ring() -> KeyRing { KeyRing(scope: scope, owner: ada.identity, randomBytes: random) }

  private func bag(_ ring: KeyRing, by signer: UserKeys? = nil) throws -> [UInt8] {
    try KeyRingBag.bytes(of: ring, signedBy: signer ?? ada, in: ContainerAddress.test) {
      SecureRandom.bytes($0)
    }
  }

  private func open(_ bytes: [UInt8], as reader: UserKeys, scope: KeyScope? = nil) throws -> KeyRing
  {
    try KeyRingBag.ring(
      of: bytes, scope: scope ?? self.scope, in: ContainerAddress.test, owner: ada.identity,
      reader: reader)
  }

  // MARK: Changes

  @Test func `A ring gets another key when a participant leaves, and not when one joins`() {
    let first = ring()
    let both = first.withRecipients([bob.identity, ada.identity], random)
    #expect(both.keys == first.keys && both.recipients.map(\.userRecordName) == ["_ada", "_bob"])
    #expect(both.withRecipients([ada.identity, bob.identity], random).hasSameContents(as: both))
    let alone = both.withRecipients([ada.identity], random)
    #expect(
      alone.keys.count == 2 && alone.newest != both.newest
        && alone.key(both.newest.identifier) != nil)
  }

  @Test func `A ring gets another key when a participant's keys change`() {
    let both = ring().withRecipients([ada.identity, bob.identity], random)
    let again = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_bob")
    #expect(both.withRecipients([ada.identity, again.identity], random).newest != both.newest)
  }

  @Test func `Merged rings lose no key and seal with the first one's newest key`() {
    let (one, two) = (ring().rotated(random), ring())
    let together = one.merging(keysOf: two)
    #expect(together.newest == one.newest)
    #expect(together.keys == two.keys + one.keys)
    #expect(together.merging(keysOf: two).hasSameContents(as: together))
  }

  @Test func `Each write increases the epoch, even if the given one is lower`() {
    #expect(ring().following(epoch: 7).epoch == 8)
    #expect(ring().following(epoch: 7).following(epoch: 2).epoch == 9)
  }

  // MARK: Bags

  @Test func `A bag restores the ring for each of its participants`() throws {
    let ring = ring().rotated(random).withRecipients([ada.identity, bob.identity], random)
      .following(
        epoch: 7)
    let bytes = try bag(ring)
    for reader in [ada, bob] {
      let opened = try open(bytes, as: reader)
      #expect(opened.hasSameContents(as: ring) && opened.epoch == 8)
    }
    #expect(refusal { _ = try open(bytes, as: eve) } == "keysNotDelivered")
    let other = UserKeys(SecretBytes(SecureRandom.bytes(32)), userRecordName: "_bob")
    #expect(refusal { _ = try open(bytes, as: other) } == "keysNotDelivered")
  }

  @Test func `A ring signed by an ordinary participant is rejected`() throws {
    let ring = ring().withRecipients([ada.identity, bob.identity, eve.identity], random)
    #expect(refusal { _ = try open(try bag(ring, by: eve), as: bob) } == "forgedBag")
  }

  @Test func `An administrator's ring continues the owner's and names the owner`() throws {
    let shared = ring().withRecipients([ada.identity, bob.identity, eve.identity], random)
      .withAdministrators(["_bob"]).following(epoch: 7)
    let known = try open(try bag(shared), as: bob)
    for (epoch, code) in [
      (8, nil), (8 + 1 << 20, "forgedBag"), (1 << 62, "forgedBag"),
      (Int64.max - 1, "forgedBag"),
    ] as [(Int64, String?)] {
      let next = known.followingByAdministrator(epoch: epoch)
      #expect(refusal { _ = try open(try bag(next, by: bob), as: eve) } == code, "\(epoch)")
    }
    let withoutOwner = known.withRecipients([bob.identity, eve.identity], random)
      .followingByAdministrator(epoch: 8)
    #expect(refusal { _ = try open(try bag(withoutOwner, by: bob), as: eve) } == "forgedBag")
    #expect(
      refusal { _ = try open(try bag(shared.following(epoch: Int64.max - 1)), as: bob) }
        == "forgedBag")
  }

  @Test func `A ring is valid for one zone, share and container`() throws {
    let bytes = try bag(ring())
    for scope in [
      KeyScope(zone: RecordZoneIdentifier(zoneName: "Y", ownerName: "_ada")),
      KeyScope(zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_bob")),
      KeyScope(zone: scope.zone, shareName: "S"),
    ] {
      #expect(refusal { _ = try open(bytes, as: ada, scope: scope) } == "forgedBag")
    }
    let production = ContainerAddress(container: "iCloud.test", environment: .production)
    #expect(
      refusal {
        _ = try KeyRingBag.ring(
          of: bytes, scope: scope, in: production, owner: ada.identity, reader: ada)
      } == "forgedBag")
  }

  @Test func `A ring with any changed bit is invalid`() throws {
    var generator = SeededGenerator.forTest()
    let bytes = try bag(ring().withRecipients([ada.identity, bob.identity], random))
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      #expect(throws: EncryptionError.self, "\(generator) \(place)") { try open(changed, as: bob) }
      #expect(throws: EncryptionError.self) { try open(Array(bytes.prefix(place)), as: bob) }
    }
    #expect(refusal { _ = try open(bytes + [0], as: bob) } == "forgedBag")
    #expect(refusal { _ = try open([], as: bob) } == "forgedBag")
  }

  @Test func `Rings for a hundred participants with many keys fit the server's limit`() throws {
    var people = [ada.identity]
    for number in 0..<100 {
      people.append(
        UserKeys(
          SecretBytes(SecureRandom.bytes(32)),
          userRecordName: "_\(String(repeating: "x", count: 32))\(number)"
        )
        .identity)
    }
    var ring = ring().withRecipients(people, random)
    for _ in 0..<1_000 { ring = ring.rotated(random) }
    #expect(try bag(ring).count < ServiceLimits().keyBagBytes)
  }

  @Test func `A zone share has the zone's ring`() {
    #expect(KeyScope(zone: scope.zone, shareName: ShareDetails.zoneShareName) == scope)
  }

  @Test func `Keys with one secret are equal, and an identifier prints as 8 characters`() {
    let secret = SecretBytes(SecureRandom.bytes(32))
    #expect(ZoneKey(secret) == ZoneKey(secret))
    #expect(ZoneKey(secret) != ZoneKey(SecretBytes(SecureRandom.bytes(32))))
    #expect("\(ZoneKey(secret).identifier)".count == 8)
  }

  // MARK: Safety numbers

  @Test func `Safety numbers are the same for both users and for no other pair`() {
    let number = SafetyNumber.text(of: ada.identity, and: bob.identity)
    #expect(number == SafetyNumber.text(of: bob.identity, and: ada.identity))
    #expect(number.split(separator: " ").map(\.count) == Array(repeating: 5, count: 12))
    #expect(number != SafetyNumber.text(of: ada.identity, and: eve.identity))
  }
}
