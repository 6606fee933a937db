import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import Synchronization
import TestSupport
import Testing

@Suite struct `First keys` {
  private let cloud = Cloud()

  private func start(_ device: Device) async throws -> String {
    switch try await device.engine.start() {
    case .ready: "ready"
    case .readyWithNewCode: "new keys"
    case .needsApproval: "needs approval"
    }
  }

  @Test func `The first device makes and keeps keys`() async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    #expect(try await start(ada) == "new keys")
    #expect(try await start(ada) == "ready")
    #expect(try await start(cloud.device("_ada", keeping: store)) == "ready")
    #expect(try await start(cloud.device("_ada")) == "needs approval")
    #expect(try await start(cloud.device("_bob")) == "new keys")
  }

  @Test func `Keys are made once although many devices start at once`() async throws {
    let cloud = cloud
    let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try await start(cloud.device("_ada")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(
      outcomes.sorted() == [
        "needs approval", "needs approval", "needs approval", "needs approval",
        "needs approval", "needs approval", "needs approval", "new keys",
      ])
  }

  @Test func `A device without keys seals and reads only plain values`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let note = try await ada.seal("text")
    let second = try await cloud.device("_ada")
    _ = try await second.engine.start()
    #expect(await second.read(note) == "deviceNotApproved")
    #expect(await refusal { _ = try await second.seal("text") } == "deviceNotApproved")
    // Plain values need no keys.
    let plain: RecordFields = ["plain": Field(.int64(1))]
    let sealed = try await second.seal(plain, of: second.record())
    #expect(sealed.fields == plain && sealed.stamps.isEmpty)
    #expect(try await second.engine.open(Device.note(second.record(), plain)).fields == plain)
  }

  @Test func `The recovery code is unseen until the program gets it`() async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    _ = try await ada.engine.start()
    let code = try #require(try await ada.engine.recoveryCode()).text
    #expect(try await ada.engine.unseenCode()?.text == code)
    #expect(try await cloud.device("_ada", keeping: store).engine.unseenCode()?.text == code)
    try await ada.engine.markCodeSeen()
    #expect(try await ada.engine.unseenCode() == nil)
    #expect(try await cloud.device("_ada", keeping: store).engine.unseenCode() == nil)
    #expect(try await ada.engine.recoveryCode()?.text == code)
  }

  @Test func `Keys that another process got meanwhile are found at the next start`() async throws {
    let ada = try await cloud.started("_ada")
    let store = MemoryKeyStore()
    let (one, other) = (
      try await cloud.device("_ada", keeping: store), try await cloud.device("_ada", keeping: store)
    )
    #expect(try await start(one) == "needs approval")
    try await other.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(try await start(one) == "ready")
  }

  @Test
  func `A device that recovers keys publishes them if the first device did not`() async throws {
    let ada = try await cloud.device("_ada")
    ada.exchange.failSaves(after: 1)
    #expect(await refusal { _ = try await ada.engine.start() } != nil)
    let second = try await cloud.device("_ada")
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    #expect(try await second.exchange.data(.publicUser(nil)) != nil)
    #expect(await second.engine.keyGeneration != nil)
  }

  /// The bytes on the server with known random bytes.
  ///
  /// A change of them needs another version of the encoding.
  @Test func `Keys have these bytes on the server`() async throws {
    let ada = try await cloud.device("_ada") { [UInt8](repeating: 7, count: $0) }
    _ = try await ada.engine.start()
    try await ada.makeZone()
    let note = try await ada.seal("text")
    guard case .bytes(let value)? = note.fields["secret"]?.value else {
      return #expect(Bool(false))
    }
    func digest(_ bytes: [UInt8]?) -> String {
      var digest = Digest(.sha256)
      digest.update(bytes ?? [])
      return digest.finish().prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let bags = (
      digest(try await ada.exchange.data(.privateUser)),
      digest(try await ada.exchange.data(.publicUser(nil))),
      digest(try await ada.exchange.data(KeyScope(zone: ada.zone()).place))
    )
    #expect(bags == ("e79d88dbdcb0a6a4", "7f4a6d2e74a114c1", "06b6cf7eaf9db637"))
    #expect(digest(value) == "50997754dad6d510")
  }

  // MARK: Interrupted processes

  @Test(arguments: ["nothing", "the bag"])
  func `Keys survive a process that ends while it makes them`(arrived: String) async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    ada.exchange.failSaves(after: arrived == "nothing" ? 0 : 1)
    #expect(await refusal { _ = try await ada.engine.start() } != nil)
    ada.exchange.failSaves(after: nil)
    #expect(
      try await start(cloud.device("_ada", keeping: store))
        == "\(arrived == "nothing" ? "new keys" : "ready")")
    let again = try await cloud.device("_ada", keeping: store)
    #expect(try await start(again) == "ready")
    #expect(try await again.engine.recoveryCode() != nil)
    #expect(try await again.exchange.data(.publicUser(nil)) != nil)
  }

  @Test func `Keys survive two processes that make them at once, one with a lost answer`()
    async throws
  {
    let store = MemoryKeyStore()
    let first = try await cloud.device("_ada", keeping: store)
    first.exchange.afterSave {
      throw CloudError(.tryAgainLater, "The answer is lost, as the test wants it.")
    }
    let second = try await cloud.device("_ada", keeping: LateStore(store))
    #expect(await refusal { _ = try await first.engine.start() } != nil)
    second.exchange.failSaves(after: 0)
    second.exchange.forgedAnswer { place, result in .failed(CloudError(.notFound, "There is none."))
    }
    #expect(await refusal { _ = try await second.engine.start() } != nil)
    second.exchange.failSaves(after: nil)
    second.exchange.forgedAnswer(nil)
    #expect(try await start(cloud.device("_ada", keeping: store)) == "new keys")
  }

  /// A store that another process changes between the first read and the next ones.
  private final class LateStore: KeyStore {
    private let store: MemoryKeyStore
    private let hasLooked = Mutex(false)

    init(_ store: MemoryKeyStore) { self.store = store }

    func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys {
      let isFirst = hasLooked.withLock { hasLooked in
        defer { hasLooked = true }
        return !hasLooked
      }
      return isFirst ? try MemoryKeyStore().keys(of: account) : try store.keys(of: account)
    }

    func update(
      _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
    ) throws(EncryptionError) -> StoredKeys { try store.update(account, change) }
  }

  @Test func `Keys that another device created meanwhile replace this device's keys`() async throws
  {
    let store = MemoryKeyStore()
    let late = try await cloud.device("_ada", keeping: store)
    late.exchange.failSaves(after: 0)
    _ = await refusal { _ = try await late.engine.start() }
    _ = try await cloud.started("_ada")
    #expect(try await start(cloud.device("_ada", keeping: store)) == "needs approval")
  }

  @Test func `Keys that the server lost are uploaded again`() async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    _ = try await ada.engine.start()
    let other = Cloud()
    let moved = try await other.device("_ada", keeping: store)
    #expect(try await start(moved) == "ready")
    let code = try #require(try await moved.engine.recoveryCode())
    try await other.device("_ada").engine.recover(code)
  }

  @Test
  func `Lost keys are uploaded with a new code by a device that never knew the first`() async throws
  {
    let ada = try await cloud.started("_ada")
    let store = MemoryKeyStore()
    let approved = try await cloud.device("_ada", keeping: store)
    try await approved.engine.askForApproval(deviceName: "approved")
    let request = try #require(try await ada.engine.waitingDevices().first).request
    try await ada.engine.beginApproval(of: request)
    guard case .compare(let shown) = try await approved.engine.approvalProgress() else {
      return #expect(Bool(false))
    }
    try await ada.engine.approve(request, code: shown)
    #expect(try await approved.engine.takeApprovedKeys())
    let other = Cloud()
    let moved = try await other.device("_ada", keeping: store)
    guard case .readyWithNewCode(let code) = try await moved.engine.start() else {
      return #expect(Bool(false))
    }
    #expect(try await moved.engine.unseenCode()?.text == code.text)
    try await other.device("_ada").engine.recover(code)
  }

  // MARK: Recovery codes

  @Test func `The recovery code brings the keys to a second device`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let note = try await ada.sendAndFetch(try await ada.seal("text"))
    let code = try #require(try await ada.engine.recoveryCode())
    let second = try await cloud.device("_ada")
    #expect(try await start(second) == "needs approval")
    try await second.engine.recover(RecoveryCode(code.text.lowercased()))
    #expect(try await start(second) == "ready")
    #expect(await second.read(note) == "text")
    #expect(try await second.engine.recoveryCode()?.text == code.text)
  }

  @Test func `Only the right code opens the keys`() async throws {
    _ = try await cloud.started("_ada")
    let bob = try await cloud.started("_bob")
    let bobs = try #require(try await bob.engine.recoveryCode())
    let second = try await cloud.device("_ada")
    for code in [bobs, RecoveryCode { SecureRandom.bytes($0) }] {
      #expect(await refusal { try await second.engine.recover(code) } == "wrongRecoveryCode")
    }
    #expect(try await start(second) == "needs approval")
    let eve = try await cloud.device("_eve")
    #expect(await refusal { try await eve.engine.recover(bobs) } == "wrongRecoveryCode")
  }

  @Test func `Only the latest code opens the keys`() async throws {
    let ada = try await cloud.started("_ada")
    let former = try #require(try await ada.engine.recoveryCode())
    let code = try await ada.engine.renewRecoveryCode()
    #expect(try await ada.engine.recoveryCode()?.text == code.text)
    let second = try await cloud.device("_ada")
    #expect(await refusal { try await second.engine.recover(former) } == "wrongRecoveryCode")
    try await second.engine.recover(code)
  }

  @Test(
    arguments: [
      [.lostResponse], [.lostRequest], [.lostResponse, .lostRequest],
      [.lostRequest, .lostResponse],
    ] as [[ServerExchange.Fault]])
  func `A device knows a code that opens the keys after renewals without a response`(
    faults: [ServerExchange.Fault]
  ) async throws {
    let store = MemoryKeyStore()
    let ada = try await cloud.device("_ada", keeping: store)
    _ = try await ada.engine.start()
    try await ada.engine.markCodeSeen()
    for fault in faults {
      ada.exchange.fail(fault)
      #expect(
        await refusal { _ = try await ada.engine.renewRecoveryCode() } == "TRY_AGAIN_LATER")
    }
    let next = try await cloud.device("_ada", keeping: store)
    #expect(try await start(next) == "ready")
    // A code that the user has not seen is shown.
    let unseen = try await next.engine.unseenCode()
    #expect((unseen != nil) == faults.contains(.lostResponse))
    let code = try #require(try await next.engine.recoveryCode())
    try await cloud.device("_ada").engine.recover(code)
  }

  @Test func `A device does not show a code that another device has renewed`() async throws {
    let ada = try await cloud.started("_ada")
    let store = MemoryKeyStore()
    let second = try await cloud.device("_ada", keeping: store)
    try await second.engine.recover(try #require(try await ada.engine.recoveryCode()))
    let code = try await ada.engine.renewRecoveryCode()
    #expect(try await second.engine.recoveryCode() == nil)
    #expect(try await ada.engine.recoveryCode()?.text == code.text)
    // It does not restore lost keys under the former code, either.
    let other = Cloud()
    let moved = try await other.device("_ada", keeping: store)
    moved.exchange.fail(.lostResponse)
    #expect(await refusal { _ = try await moved.engine.start() } == "TRY_AGAIN_LATER")
    #expect(try await start(moved) == "ready")
    let shown = try #require(try await moved.engine.unseenCode())
    try await other.device("_ada").engine.recover(shown)
  }

  @Test func `A device shows no code after another device has reset the keys`() async throws {
    let ada = try await cloud.started("_ada")
    let code = try await cloud.device("_ada").engine.resetEverything(zones: [])
    #expect(await refusal { _ = try await ada.engine.recoveryCode() } == "keysReplaced")
    try await ada.engine.recover(code)
    #expect(try await ada.engine.recoveryCode()?.text == code.text)
  }

  // MARK: A server that lies

  @Test func `A bag that changed at any place gives no keys`() async throws {
    var generator = SeededGenerator.forTest()
    let ada = try await cloud.started("_ada")
    let code = try #require(try await ada.engine.recoveryCode())
    let bag = try #require(try await ada.exchange.data(.privateUser))
    let second = try await cloud.device("_ada")
    // The last byte counts the devices that ask. It is not secret.
    for place in bag.indices.dropLast() {
      let bit = UInt8.random(in: 0..<8, using: &generator)
      second.exchange.forgedAnswer { _, result in altered(result) { $0[place] ^= 1 << bit } }
      #expect(
        await refusal { try await second.engine.recover(code) } != nil,
        "\(generator) \(place) \(bit)")
    }
    second.exchange.forgedAnswer(nil)
    #expect(try await start(second) == "needs approval")
  }

  @Test func `The server's claims do not replace keys`() async throws {
    let ada = try await cloud.started("_ada")
    let eve = try await cloud.started("_eve")
    let foreign = try #require(try await eve.exchange.data(.privateUser))
    ada.exchange.forgedAnswer { place, result in
      place == .privateUser ? altered(result) { $0 = foreign } : result
    }
    #expect(await refusal { _ = try await ada.engine.start() } == "forgedBag")
    let other = try await Cloud().started("_ada")
    let replaced = try #require(try await other.exchange.data(.privateUser))
    ada.exchange.forgedAnswer { place, result in
      place == .privateUser ? altered(result) { $0 = replaced } : result
    }
    #expect(await refusal { _ = try await ada.engine.start() } == "keysReplaced")
    ada.exchange.forgedAnswer(nil)
    #expect(try await start(ada) == "ready")
  }

  @Test func `The server can read neither values nor recovery codes`() async throws {
    let ada = try await cloud.started("_ada")
    try await ada.makeZone()
    let note = try await ada.sendAndFetch(
      try await ada.seal("the treasure lies beneath the third oak"))
    #expect(await ada.read(note) == "the treasure lies beneath the third oak")
    for word in ["treasure", "third oak"] { #expect(try await !cloud.knows(Array(word.utf8))) }
    guard case .bytes(let sealed)? = note.fields["secret"]?.value else {
      return #expect(Bool(false))
    }
    // The server seals the value again, but stores names of fields unchanged.
    #expect(try await !cloud.knows(sealed))
    #expect(try await cloud.knows(Array("secret".utf8)))
    let code = try #require(try await ada.engine.recoveryCode()).text
    #expect(try await !cloud.knows(Array(code.utf8)))
    #expect(try await !cloud.knows(Array(code.filter { $0 != "-" }.utf8)))
  }
}
