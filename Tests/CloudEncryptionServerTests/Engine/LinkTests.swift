import CloudEncryption
import CloudRecords
import CloudWire
import EncryptionTestSupport
import Synchronization
import TestSupport
import Testing

/// Links with a secret, by which people get keys without a decision by the owner.
@Suite struct `Links to shares` {
  private let cloud = Cloud()

  private func owner() async throws -> (device: Device, scope: KeyScope) {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    return (ada, KeyScope(zone: ada.zone()))
  }

  private func deliver(
    _ ada: Device, _ scope: KeyScope, _ proofs: [String: [UInt8]], to others: Set<String> = []
  ) async throws -> KeyDelivery {
    try await ada.engine.deliverKeys(
      of: scope, to: others.union(proofs.keys), proofs: proofs)
  }

  // MARK: Text

  @Test func `A link is text that names the secret and the owner`() async throws {
    let (ada, scope) = try await owner()
    let link = try await ada.engine.link(to: scope)
    #expect(link.fragment.hasPrefix("k=") && link.fragment.count == 66)
    let safe = link.fragment.dropFirst(2).allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    #expect(safe)
    #expect(ShareLink(fragment: link.fragment) == link)
    for cut in 1..<link.fragment.count {
      let part = String(link.fragment.dropLast(cut))
      #expect(ShareLink(fragment: part) == nil, "\(part)")
    }
    #expect(ShareLink(fragment: "section") == nil && !ShareLink.hasLinkPrefix("section"))
    // The same link as long as none was withdrawn.
    #expect(try await ada.engine.link(to: scope) == link)
  }

  @Test func `The server never learns the secret`() async throws {
    let (ada, scope) = try await owner()
    let (link, bob) = (try await ada.engine.link(to: scope), try await cloud.started("_bob"))
    let proof = try await bob.engine.join(scope, by: link)
    _ = try await deliver(ada, scope, ["_bob": proof])
    #expect(try await !cloud.knows(link.secretForTests))
  }

  // MARK: Joining

  @Test func `A correct proof is an invitation`() async throws {
    let (ada, scope) = try await owner()
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    let link = try await ada.engine.link(to: scope)
    let proof = try await bob.engine.join(scope, by: link)
    let delivery = try await deliver(ada, scope, ["_bob": proof])
    #expect(delivery.recipients == ["_bob"] && delivery.uninvited.isEmpty)
    #expect(try await ada.engine.keyRequests().isEmpty)
    // Both are pinned.
    #expect(try await ada.engine.people().map(\.identity.userRecordName) == ["_bob"])
    #expect(try await bob.engine.people().map(\.identity.userRecordName) == ["_ada"])
    // The proof is Bob's, and of this share.
    let ofOther = try await eve.engine.join(KeyScope(zone: scope.zone, shareName: "s"), by: link)
    for wrong in [proof, ofOther] {
      let other = try await deliver(ada, scope, ["_eve": wrong], to: ["_bob"])
      #expect(other.recipients == ["_bob"] && other.uninvited == ["_eve"])
    }
    let own = try await eve.engine.join(scope, by: link)
    #expect(try await deliver(ada, scope, ["_eve": own], to: ["_bob"]).uninvited.isEmpty)
  }

  @Test(arguments: [[], [1], [UInt8](repeating: 7, count: 32)])
  func `A wrong proof waits for a decision`(_ proof: [UInt8]) async throws {
    let (ada, scope) = try await owner()
    _ = try await cloud.started("_bob")
    _ = try await ada.engine.link(to: scope)
    let delivery = try await deliver(ada, scope, ["_bob": proof])
    #expect(delivery.recipients.isEmpty && delivery.uninvited == ["_bob"])
    #expect(try await ada.engine.people().isEmpty)
    #expect(try await ada.engine.allow("_bob", in: scope).recipients == ["_bob"])
  }

  @Test func `A proof names the keys of the person, and not those that the server shows`()
    async throws
  {
    let (ada, scope) = try await owner()
    let bob = try await cloud.started("_bob")
    let proof = try await bob.engine.join(scope, by: ada.engine.link(to: scope))
    let false1 = try await Cloud().started("_bob")
    let forged = try #require(try await false1.exchange.data(.publicUser(nil)))
    ada.exchange.forgedAnswer { place, result in
      place == .publicUser("_bob") ? altered(result) { $0 = forged } : result
    }
    #expect(try await deliver(ada, scope, ["_bob": proof]).uninvited == ["_bob"])
    ada.exchange.forgedAnswer(nil)
    #expect(try await deliver(ada, scope, ["_bob": proof]).recipients == ["_bob"])
  }

  @Test func `Keys that the server shows after the proof was checked get nothing`() async throws {
    let (ada, scope) = try await owner()
    let bob = try await cloud.started("_bob")
    let proof = try await bob.engine.join(scope, by: ada.engine.link(to: scope))
    let false1 = try await Cloud().started("_bob")
    let forged = try #require(try await false1.exchange.data(.publicUser(nil)))
    let shown = Mutex(0)
    ada.exchange.forgedAnswer { place, result in
      guard place == .publicUser("_bob"),
        shown.withLock({
          $0 += 1; return $0 > 1
        })
      else {
        return result
      }
      return altered(result) { $0 = forged }
    }
    let delivery = try await deliver(ada, scope, ["_bob": proof])
    #expect(delivery.recipients.isEmpty && delivery.changed == ["_bob"])
    // Nor do keys that were trusted before the person joined with other keys.
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    let cleo = try await cloud.started("_cleo")
    let other = try #require(try await Cloud().started("_cleo").exchange.data(.publicUser(nil)))
    let cleos = try await cleo.engine.join(scope, by: ada.engine.link(to: scope))
    second.exchange.forgedAnswer { place, result in
      place == .publicUser("_cleo") ? altered(result) { $0 = other } : result
    }
    _ = try await second.engine.person("_cleo")
    second.exchange.forgedAnswer(nil)
    #expect(try await deliver(second, scope, ["_cleo": cleos]).uninvited == ["_cleo"])
  }

  @Test func `A link shows who the owner is`() async throws {
    let (ada, scope) = try await owner()
    let (link, bob) = (try await ada.engine.link(to: scope), try await cloud.started("_bob"))
    let false1 = try await Cloud().started("_ada")
    let forged = try #require(try await false1.exchange.data(.publicUser(nil)))
    bob.exchange.forgedAnswer { place, result in
      place == .publicUser("_ada") ? altered(result) { $0 = forged } : result
    }
    #expect(await refusal { _ = try await bob.engine.join(scope, by: link) } == "identityChanged")
    #expect(try await bob.engine.people().isEmpty)
    // Keys that were trusted before are not replaced by a link.
    _ = try await bob.engine.person("_ada")
    bob.exchange.forgedAnswer(nil)
    #expect(await refusal { _ = try await bob.engine.join(scope, by: link) } == "identityChanged")
    let digits = try #require(try await ada.engine.person("_bob")?.safetyNumber)
    #expect(try await bob.engine.verify("_ada", safetyNumber: digits))
    _ = try await bob.engine.join(scope, by: link)
  }

  @Test func `An owner without keys cannot be joined by a link`() async throws {
    let (ada, scope) = try await owner()
    let (link, bob) = (try await ada.engine.link(to: scope), try await Cloud().started("_bob"))
    #expect(await refusal { _ = try await bob.engine.join(scope, by: link) } == "keysNotDelivered")
    #expect(await refusal { _ = try await bob.engine.link(to: scope) } == "notOwner")
  }

  @Test func `A proof beside an unreadable public key bag does not stop the others`() async throws {
    let (ada, scope) = try await owner()
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    let proof = try await bob.engine.join(scope, by: ada.engine.link(to: scope))
    try await eve.replaceBag(at: .publicUser(nil), in: .private, by: [1])
    let delivery = try await deliver(ada, scope, ["_bob": proof, "_eve": [1]])
    #expect(delivery.recipients == ["_bob"] && delivery.uninvited == ["_eve"])
  }

  // MARK: Devices

  @Test func `Another device of the owner checks the proof`() async throws {
    let (ada, scope) = try await owner()
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    let bob = try await cloud.started("_bob")
    let link = try await ada.engine.link(to: scope)
    let proof = try await bob.engine.join(scope, by: link)
    // It fetches what the other device wrote, without another start.
    #expect(try await deliver(second, scope, ["_bob": proof]).recipients == ["_bob"])
    #expect(try await second.engine.link(to: scope) == link)
  }

  @Test func `A change during a request is sent at the next start`() async throws {
    let (ada, scope) = try await owner()
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    _ = try await cloud.started("_bob")
    ada.exchange.afterSave {
      try await ada.engine.decide(on: scope, ShareDecisions(inviting: ["_bob"]))
    }
    _ = try await ada.engine.link(to: scope)
    _ = try await ada.engine.start()
    _ = try await second.engine.start()
    #expect(try await second.engine.deliverKeys(of: scope, to: ["_bob"]).recipients == ["_bob"])
  }

  // MARK: Withdrawing

  enum Withdrawal: CaseIterable {
    case byName, removal, end, endOfZone, onAnotherDevice, repeated, reset
  }

  @Test(arguments: Withdrawal.allCases)
  func `A withdrawn link admits no person`(_ withdrawal: Withdrawal) async throws {
    let (ada, scope) = try await owner()
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    let link = try await ada.engine.link(to: scope)
    _ = try await deliver(ada, scope, ["_eve": try await eve.engine.join(scope, by: link)])
    let proof = try await bob.engine.join(scope, by: link)
    switch withdrawal {
    case .byName: try await ada.engine.withdrawLinks(to: scope)
    // Eve knows the link, and could give it to the server.
    case .removal: try await ada.engine.decide(on: scope, ShareDecisions(removing: ["_eve"]))
    case .end: try await ada.engine.withdrawInvitations(to: scope)
    case .endOfZone: try await ada.engine.withdrawInvitations(in: scope.zone)
    case .onAnotherDevice:
      let second = try await cloud.device("_ada")
      try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
      try await second.engine.withdrawLinks(to: scope)
      _ = try await ada.engine.start()
    case .repeated:
      let second = try await cloud.device("_ada")
      try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
      second.exchange.fail(.lostRequest)
      #expect(
        await refusal { try await second.engine.withdrawLinks(to: scope) } == "TRY_AGAIN_LATER")
      try await second.engine.withdrawLinks(to: scope)
      _ = try await ada.engine.start()
    case .reset:
      _ = try await ada.engine.resetEverything(zones: [ada.zone()])
      try await ada.makeZone()
    }
    let delivery = try await deliver(ada, scope, ["_bob": proof])
    #expect(delivery.recipients.isEmpty && delivery.uninvited == ["_bob"])
    #expect(try await ada.engine.link(to: scope) != link)
  }

  @Test func `A rejection keeps the link, and a proof does not bring back a rejected person`()
    async throws
  {
    let (ada, scope) = try await owner()
    let (bob, eve) = (try await cloud.started("_bob"), try await cloud.started("_eve"))
    let link = try await ada.engine.link(to: scope)
    let proof = try await eve.engine.join(scope, by: link)
    try await ada.engine.decide(on: scope, ShareDecisions(removing: ["_eve"]))
    #expect(try await ada.engine.link(to: scope) == link)
    #expect(try await deliver(ada, scope, ["_eve": proof]).uninvited == ["_eve"])
    let bobs = try await bob.engine.join(scope, by: link)
    #expect(try await deliver(ada, scope, ["_bob": bobs]).recipients == ["_bob"])
  }
}

extension ShareLink {
  /// The first 32 bytes of a link's text.
  fileprivate var secretForTests: [UInt8] {
    let digits = fragment.dropFirst(2).prefix(44).map {
      $0 == "-" ? "+" as Character : $0 == "_" ? "/" : $0
    }
    return Array((Base64Text.bytes(String(digits)) ?? []).prefix(32))
  }
}
