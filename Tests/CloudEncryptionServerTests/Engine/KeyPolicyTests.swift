import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import TestSupport
import Testing

/// The policies for giving keys to invited people.
@Suite struct `Policies of key delivery` {
  private let cloud = Cloud()

  private func owner() async throws -> (device: Device, scope: KeyScope) {
    let ada = try await cloud.started("_ada")
    for user in ["_bob", "_eve"] { _ = try await cloud.started(user) }
    try await ada.makeZone()
    return (ada, KeyScope(zone: ada.zone()))
  }

  private func verify(_ user: String, _ ada: Device) async throws {
    let person = try #require(try await ada.engine.person(user))
    #expect(try await ada.engine.verify(user, safetyNumber: person.safetyNumber))
  }

  @Test func `Only verified people get keys, and others once they are verified`() async throws {
    let (ada, scope) = try await owner()
    #expect(try await ada.engine.policy() == .invited)
    try await ada.engine.choose(.verifiedOnly)
    try await verify("_bob", ada)
    let delivery = try await ada.deliver(scope, to: ["_bob", "_eve"])
    #expect(delivery.recipients == ["_bob"] && delivery.unverified == ["_eve"])
    #expect(try await ada.engine.keyRequests() == [scope: ["_eve"]])
    #expect(
      await refusal { _ = try await ada.engine.allow("_eve", in: scope) } == "notVerified")
    try await verify("_eve", ada)
    #expect(try await ada.engine.keyRequests().isEmpty)
    let again = try await ada.engine.deliverKeys(of: scope, to: ["_bob", "_eve"])
    #expect(again.recipients == ["_bob", "_eve"] && !again.isRotated)
  }

  @Test func `After a stricter policy, unverified people get no new keys`() async throws {
    let (ada, scope) = try await owner()
    try await verify("_bob", ada)
    #expect(try await ada.deliver(scope, to: ["_bob", "_eve"]).recipients == ["_bob", "_eve"])
    try await ada.engine.choose(.verifiedOnly)
    let delivery = try await ada.engine.deliverKeys(of: scope, to: ["_bob", "_eve"])
    #expect(delivery.isRotated && delivery.recipients == ["_bob"])
    #expect(delivery.unverified == ["_eve"])
    try await ada.engine.choose(.invited)
    let wide = try await ada.engine.deliverKeys(of: scope, to: ["_bob", "_eve"])
    #expect(wide.recipients == ["_bob", "_eve"] && wide.unverified.isEmpty)
  }

  @Test func `A person with a link waits for a verification, too`() async throws {
    let (ada, scope) = try await owner()
    try await ada.engine.choose(.verifiedOnly)
    let bob = try await cloud.device("_bob", keeping: MemoryKeyStore())
    #expect(await refusal { _ = try await bob.engine.link(to: scope) } == "notOwner")
    let guest = try await cloud.started("_cleo")
    let proof = try await guest.engine.join(scope, by: ada.engine.link(to: scope))
    let delivery = try await ada.engine.deliverKeys(
      of: scope, to: ["_cleo"], proofs: ["_cleo": proof])
    #expect(delivery.recipients.isEmpty && delivery.unverified == ["_cleo"])
  }

  @Test func `The policy reaches the user's other devices`() async throws {
    let (ada, scope) = try await owner()
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    try await ada.engine.choose(.verifiedOnly)
    _ = try await second.engine.start()
    #expect(try await second.engine.policy() == .verifiedOnly)
    #expect(try await second.deliver(scope, to: ["_bob"]).unverified == ["_bob"])
    // The last choice wins, also if it had to be repeated.
    second.exchange.fail(.lostRequest)
    #expect(await refusal { try await second.engine.choose(.invited) } == "TRY_AGAIN_LATER")
    try await second.engine.choose(.invited)
    _ = try await ada.engine.start()
    #expect(try await ada.engine.policy() == .invited)
  }

  @Test func `A server cannot show a device the former policy`() async throws {
    let (ada, _) = try await owner()
    let before = try #require(try await ada.exchange.data(.privateUser))
    try await ada.engine.choose(.verifiedOnly)
    ada.exchange.show(before, at: .privateUser)
    _ = try await ada.engine.start()
    #expect(try await ada.engine.policy() == .verifiedOnly)
  }
}
