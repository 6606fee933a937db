import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import RecordServer
import Synchronization
import TestSupport
import Testing

@Suite struct `Keys of participants` {
  private let cloud = Cloud()

  private static func invited(_ users: [String]) -> String {
    let list = users.map {
      #"{"userIdentity":{"userRecordName":"\#($0)"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"}"#
    }
    return #""participants":[\#(list.joined(separator: ","))]"#
  }

  /// Ada's zone, shared with others as a tree or as a whole.
  private func share(whole: Bool, with users: [String]) async throws -> (
    ada: Device, others: [Device]
  ) {
    let ada = try await cloud.started("_ada")
    var others: [Device] = []
    for user in users { others.append(try await cloud.started(user)) }
    try await ada.makeZone()
    let name = whole ? ShareDetails.zoneShareName : "Share-1"
    let root = whole ? "" : #","forRecord":{"recordName":"root"}"#
    let created = try await ada.modify(
      ("create", #""recordName":"root","recordType":"Note","fields":{}"#),
      (
        "create",
        #""recordName":"\#(name)","recordType":"cloudkit.share","fields":{},\#(Self.invited(users))\#(root)"#
      ))
    let short = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    for other in others {
      _ = try await other.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    }
    return (ada, others)
  }

  private func remain(_ ada: Device, _ users: [String], whole: Bool) async throws {
    let name = whole ? ShareDetails.zoneShareName : "Share-1"
    let reply = try await ada.modify(
      (
        "forceUpdate",
        #""recordName":"\#(name)","participants":[{"type":"OWNER"}\#(users.map { #",{"userIdentity":{"userRecordName":"\#($0)"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"ACCEPTED"}"# }.joined())]"#
      ))
    #expect(reply["records"][0]["recordChangeTag"].text != nil, "\(reply)")
  }

  private func scope(_ ada: Device, whole: Bool) -> KeyScope {
    KeyScope(zone: ada.zone(), shareName: whole ? ShareDetails.zoneShareName : "Share-1")
  }

  @Test(arguments: [true, false])
  func `Participants open what others seal, and removed ones open nothing more`(whole: Bool)
    async throws
  {
    let (ada, others) = try await share(whole: whole, with: ["_bob", "_eve"])
    let (bob, eve) = (others[0], others[1])
    let (scope, name) = (scope(ada, whole: whole), whole ? nil : "Share-1")
    let first = try await ada.seal("first", as: "root", share: name)
    #expect(await bob.read(first) == "keysNotDelivered")
    #expect(
      await refusal { _ = try await bob.seal("x", owner: "_ada", share: name) }
        == "keysNotDelivered")

    let handout = try await ada.deliver(scope, to: ["_bob", "_eve", "_ada"])
    #expect(
      handout.recipients == ["_bob", "_eve"] && handout.waiting.isEmpty && !handout.isRotated)
    for device in [bob, eve] { #expect(await device.read(first) == "first") }
    let bobs = try await bob.seal("bob's", as: "leaf", owner: "_ada", share: name)
    for device in [ada, eve] { #expect(await device.read(bobs) == "bob's") }

    try await remain(ada, ["_bob"], whole: whole)
    let removal = try await ada.deliver(scope, to: ["_bob"])
    #expect(removal.recipients == ["_bob"] && removal.isRotated)
    let second = try await ada.seal("second", as: "root", share: name)
    #expect(await bob.read(second) == "second")
    // The server gives no bag to a removed participant, and if it did:
    #expect(await eve.read(second) == "ZONE_NOT_FOUND")
    let bag = try #require(try await ada.exchange.data(scope.place))
    let eves = EveExchange(bag: bag, exchange: eve.exchange)
    let hostile = EncryptionEngine(
      account: eve.engine.account, store: eve.store, exchange: eves,
      dependencies: EncryptionEngine.Dependencies(now: { Timestamp(milliseconds: 0) }))
    #expect(await refusal { _ = try await hostile.open(second) } == "keysNotDelivered")
    // She can still read earlier values.
    #expect(await eve.read(first) == "first")
    #expect(try await ada.engine.needsResealing(first, shareName: name))
    let again = try await ada.deliver(scope, to: ["_bob"])
    #expect(!again.isRotated)
  }

  @Test func `Many records without keys cost one look-up together`() async throws {
    let (_, others) = try await share(whole: true, with: ["_bob"])
    let bob = others[0]
    let fields: RecordFields = ["secret": Field(.string("x"), isEncrypted: true)]
    let records = (0..<5).map {
      RecordToSeal(fields, of: bob.record("r\($0)", owner: "_ada"), recordType: "Note")
    }
    // The first one also looks the owner up.
    _ = try await bob.engine.seal([records[0]])
    let before = bob.exchange.lookUps
    let codes = try await bob.engine.seal(records).map { result in
      if case .failure(let error) = result { code(of: error) } else { "sealed" }
    }
    #expect(codes == Array(repeating: "keysNotDelivered", count: 5))
    #expect(bob.exchange.lookUps == before + 1)
  }

  @Test func `A share of some records has its own keys`() async throws {
    let (ada, others) = try await share(whole: false, with: ["_bob"])
    let outside = try await ada.seal("outside", as: "other")
    let inside = try await ada.seal("inside", as: "root", share: "Share-1")
    _ = try await ada.deliver(scope(ada, whole: false), to: ["_bob"])
    #expect(await others[0].read(inside) == "inside")
    #expect(await others[0].read(outside) == "ACCESS_DENIED")
    #expect(await ada.read(inside) == "inside")
    #expect(try await ada.engine.needsResealing(outside, shareName: "Share-1"))
  }

  @Test func `A participant without keys gets them later`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    let first = try await ada.deliver(scope, to: ["_bob"])
    #expect(first.recipients.isEmpty && first.waiting == ["_bob"])
    _ = try await cloud.started("_bob")
    let second = try await ada.deliver(scope, to: ["_bob"])
    #expect(second.recipients == ["_bob"] && second.waiting.isEmpty && !second.isRotated)
  }

  @Test(arguments: [true, false])
  func `A recreated zone's keys are the owner's, and participants take them again`(
    isForgotten: Bool
  ) async throws {
    let (ada, others) = try await share(whole: true, with: ["_bob"])
    let (bob, scope) = (others[0], scope(ada, whole: true))
    _ = try await ada.deliver(scope, to: ["_bob"])
    for _ in 0..<3 { try await ada.engine.rotateKeys(of: scope) }
    try await bob.engine.refreshKeys(of: scope)
    try await ada.deleteZone()
    try await ada.makeZone()
    if isForgotten { try await ada.engine.forgetKeys(of: scope.zone) }
    // Keys of the new zone are sealed to no participant of the former one.
    if !isForgotten { try await ada.engine.refreshKeys(of: scope) }
    let note = try await ada.seal("new")
    let bag = try #require(try await ada.exchange.data(scope.place))
    let hostile = EncryptionEngine(
      account: bob.engine.account, store: bob.store,
      exchange: EveExchange(bag: bag, exchange: bob.exchange),
      dependencies: EncryptionEngine.Dependencies(now: { Timestamp(milliseconds: 0) }))
    #expect(await refusal { _ = try await hostile.open(note) } == "keysNotDelivered")
    // A participant who has seen a late save of the former bag does not mistake the new bag for an
    // earlier one.
    _ = try await ada.deliver(scope, to: ["_bob"])
    let handed = try #require(try await ada.exchange.data(scope.place))
    bob.exchange.show(handed, at: scope.place)
    try await bob.engine.refreshKeys(of: scope)
    #expect(await bob.read(note) == "new")
  }

  @Test func `Delivered keys include those of a save that the owner's device had not seen`()
    async throws
  {
    let (ada, others) = try await share(whole: true, with: ["_bob"])
    let (bob, scope) = (others[0], scope(ada, whole: true))
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    let first = try await ada.seal("first")
    try await second.engine.rotateKeys(of: scope)
    let later = try await second.seal("second")
    _ = try await ada.deliver(scope, to: ["_bob"])
    for note in [first, later] { #expect(await bob.read(note) != "no text") }
    #expect(await bob.read(first) == "first")
    #expect(await bob.read(later) == "second")
    #expect(try await !ada.engine.needsResealing(later))
  }

  @Test func `A removal marks the scope for resealing before the new key exists`() async throws {
    let (ada, _) = try await share(whole: true, with: ["_bob", "_eve"])
    let scope = scope(ada, whole: true)
    _ = try await ada.deliver(scope, to: ["_bob", "_eve"])
    #expect(try await ada.engine.scopesToReseal().isEmpty)
    ada.exchange.fail(.lostRequest)
    #expect(
      await refusal { _ = try await ada.deliver(scope, to: ["_bob"]) }
        == "TRY_AGAIN_LATER")
    #expect(try await ada.engine.scopesToReseal() == [scope])
    let handout = try await ada.deliver(scope, to: ["_bob"])
    #expect(handout.isRotated)
  }

  @Test func `Only owners deliver keys`() async throws {
    let (_, others) = try await share(whole: true, with: ["_bob"])
    let scope = KeyScope(zone: others[0].zone(owner: "_ada"))
    #expect(
      await refusal { _ = try await others[0].deliver(scope, to: ["_bob"]) }
        == "notOwner")
    #expect(await refusal { try await others[0].engine.rotateKeys(of: scope) } == "notOwner")
    #expect(await refusal { try await others[0].engine.resetZone(scope.zone) } == "notOwner")
  }

  // MARK: Trust

  @Test func `A participant whose keys changed is not trusted without a confirmation`() async throws
  {
    let (ada, others) = try await share(whole: true, with: ["_bob"])
    let scope = scope(ada, whole: true)
    _ = try await ada.deliver(scope, to: ["_bob"])
    let code = try await others[0].engine.resetEverything(zones: [])
    #expect(!code.text.isEmpty)
    let handout = try await ada.deliver(scope, to: ["_bob"])
    #expect(handout.recipients.isEmpty && handout.changed == ["_bob"] && !handout.isRotated)

    let shown = try #require(try await ada.engine.person("_bob")?.changedSafetyNumber)
    #expect(try await others[0].engine.person("_ada")?.safetyNumber == shown)
    #expect(try await ada.engine.verify("_bob", safetyNumber: shown))
    let trusted = try await ada.deliver(scope, to: ["_bob"])
    #expect(trusted.recipients == ["_bob"] && trusted.changed.isEmpty)
    #expect(await others[0].read(try await ada.seal("text")) == "text")
  }

  @Test func `After a verification, keys are compared before the next value is sealed`()
    async throws
  {
    let (ada, _) = try await share(whole: true, with: ["_bob"])
    _ = try await ada.seal("text")
    let lookUps = ada.exchange.lookUps
    _ = try await ada.seal("text")
    #expect(ada.exchange.lookUps == lookUps)
    let bob = try #require(try await ada.engine.person("_bob"))
    #expect(try await ada.engine.verify("_bob", safetyNumber: bob.safetyNumber))
    let before = ada.exchange.lookUps
    _ = try await ada.seal("text")
    #expect(ada.exchange.lookUps == before + 1)
  }

  @Test func `An owner with new keys is distinguished from a forged bag`() async throws {
    let (ada, others) = try await share(whole: true, with: ["_bob"])
    let (bob, scope) = (others[0], scope(ada, whole: true))
    _ = try await ada.deliver(scope, to: ["_bob"])
    #expect(await bob.read(try await ada.seal("text")) == "text")
    bob.exchange.forgedAnswer { place, result in
      place == scope.place ? altered(result) { $0[50] ^= 1 } : result
    }
    #expect(await refusal { try await bob.engine.refreshKeys(of: scope) } == "forgedBag")
    // A server that makes keys for the owner can show them, and is detected.
    let false1 = try await Cloud().started("_ada")
    try await false1.makeZone()
    let owner = try #require(try await false1.exchange.data(.publicUser(nil)))
    _ = try await false1.seal("x")
    let forged = try #require(try await false1.exchange.data(scope.place))
    bob.exchange.forgedAnswer { place, result in
      switch place {
      case .publicUser("_ada"): altered(result) { $0 = owner }
      case scope.place: altered(result) { $0 = forged }
      default: result
      }
    }
    #expect(await refusal { try await bob.engine.refreshKeys(of: scope) } == "identityChanged")
    bob.exchange.forgedAnswer(nil)
    try await bob.engine.refreshKeys(of: scope)
  }

  @Test func `A participant accepts no bag that is older than one it saw`() async throws {
    let (ada, others) = try await share(whole: true, with: ["_bob"])
    let (bob, scope) = (others[0], scope(ada, whole: true))
    _ = try await ada.deliver(scope, to: ["_bob"])
    let former = try #require(try await ada.exchange.data(scope.place))
    try await bob.engine.refreshKeys(of: scope)
    try await ada.engine.rotateKeys(of: scope)
    try await bob.engine.refreshKeys(of: scope)
    bob.exchange.forgedAnswer { place, result in
      place == scope.place ? altered(result) { $0 = former } : result
    }
    #expect(await refusal { try await bob.engine.refreshKeys(of: scope) } == "rolledBack")
  }

  @Test func `Another user's public keys are trusted only from that user`() async throws {
    let (ada, eve) = (try await cloud.started("_ada"), try await cloud.started("_eve"))
    _ = try await cloud.started("_bob")
    let eves = try #require(try await eve.exchange.data(.publicUser(nil)))
    ada.exchange.forgedAnswer { place, result in
      place == .publicUser("_bob") ? altered(result) { $0 = eves } : result
    }
    #expect(await refusal { _ = try await ada.engine.identity(of: "_bob") } == "forgedBag")
    var generator = SeededGenerator.forTest()
    for _ in 0..<60 {
      let (place, bit) = (
        Int.random(in: eves.indices, using: &generator), UInt8.random(in: 0..<8, using: &generator)
      )
      ada.exchange.forgedAnswer { _, result in
        altered(result) { if place < $0.count { $0[place] ^= 1 << bit } }
      }
      #expect(
        await refusal { _ = try await ada.engine.identity(of: "_bob") } == "forgedBag",
        "\(generator)")
    }
  }

  @Test(arguments: [true, false])
  func `An unreadable public key bag concerns only its user`(isWeak: Bool) async throws {
    let forger = Forger("_eve")
    let ada = try await cloud.started("_ada")
    _ = try await cloud.started("_bob")
    let eve = try await cloud.device("_eve", randomBytes: forger.randomBytes)
    _ = try await eve.engine.start()
    try await ada.makeZone()
    let scope = KeyScope(zone: ada.zone())
    let readable = try #require(try await eve.exchange.data(.publicUser(nil)))
    let unreadable = isWeak ? forger.weakPublicBag() : [1]
    try await eve.replaceBag(at: .publicUser(nil), in: .private, by: unreadable)
    #expect(await refusal { _ = try await ada.engine.identity(of: "_eve") } == "forgedBag")
    let first = try await ada.deliver(scope, to: ["_bob", "_eve"])
    #expect(first.recipients == ["_bob"] && first.waiting == ["_eve"])
    // A known person with an unreadable bag keeps the ring's keys, like one with changed keys.
    try await eve.replaceBag(at: .publicUser(nil), in: .private, by: readable)
    #expect(try await ada.deliver(scope, to: ["_bob", "_eve"]).recipients == ["_bob", "_eve"])
    try await eve.replaceBag(at: .publicUser(nil), in: .private, by: unreadable)
    let last = try await ada.deliver(scope, to: ["_bob", "_eve"])
    #expect(last.changed == ["_eve"] && !last.isRotated)
  }

  @Test func `All new people of a share are stored at once`() async throws {
    let store = CountingStore()
    let ada = try await cloud.device("_ada", keeping: store)
    _ = try await ada.engine.start()
    try await ada.makeZone()
    let people = Set((1...5).map { "_\($0)" })
    for user in people { _ = try await cloud.started(user) }
    let scope = KeyScope(zone: ada.zone())
    try await ada.engine.decide(on: scope, ShareDecisions(inviting: people))
    let before = store.updates
    _ = try await ada.engine.deliverKeys(of: scope, to: people)
    // One update stores the people, and one the ring.
    #expect(store.updates == before + 2)
  }

  /// A store that counts its changes.
  private final class CountingStore: KeyStore {
    private let store = MemoryKeyStore()
    private let count = Mutex(0)

    var updates: Int { count.withLock(\.self) }

    func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys {
      try store.keys(of: account)
    }

    func update(
      _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
    ) throws(EncryptionError) -> StoredKeys {
      count.withLock { $0 += 1 }
      return try store.update(account, change)
    }
  }

  @Test func `Keys are for invited or joined users who were not removed`() {
    func participant(
      _ name: String?, _ role: ShareParticipant.Role, _ permission: ShareParticipant.Permission,
      _ acceptance: ShareParticipant.Acceptance
    ) -> ShareParticipant {
      ShareParticipant(
        identifier: "1", identity: UserIdentity(userRecordName: name), role: role,
        permission: permission,
        acceptance: acceptance)
    }
    let share = ShareDetails(
      publicPermission: .none,
      participants: [
        participant("_ada", .owner, .readWrite, .accepted),
        participant("_bob", .user, .readOnly, .invited),
        participant("_eve", .user, .readWrite, .removed),
        participant("_tim", .user, .none, .accepted),
        participant(nil, .user, .readWrite, .invited),
      ])
    #expect(share.keyRecipients == ["_ada", "_bob"])
  }
}

/// Returns the bag to a removed participant.
private struct EveExchange: KeyBagExchange {
  let bag: [UInt8]
  let exchange: ServerExchange

  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    if case .publicUser = request.places[0] {
      return try await exchange.lookUp(request, in: database)
    }
    return [.bag(generation: 9, modified: Timestamp(milliseconds: 0), data: bag)]
  }

  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    try await exchange.modify(request, in: database)
  }
}
