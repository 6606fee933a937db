import BinaryCoding
import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import Synchronization
import TestSupport
import Testing

/// An approval over a failing network, and over a server that exploits failures.
@Suite struct `Approving a device over a faulty or hostile server` {
  private let cloud = Cloud()

  /// A device with keys, and one that has asked it for approval.
  private struct Pair {
    let first, second: Device
    let request: [UInt8]
    /// The length of the private key bag with the request at its first step.
    let askedByteCount: Int

    init(_ cloud: Cloud, randomBytes: (first: RandomBytes, second: RandomBytes)? = nil) async throws
    {
      let random: RandomBytes = { SecureRandom.bytes($0) }
      first = try await cloud.device("_ada", randomBytes: randomBytes?.first ?? random)
      second = try await cloud.device("_ada", randomBytes: randomBytes?.second ?? random)
      _ = try await first.engine.start()
      try await second.engine.askForApproval(deviceName: "new")
      request = try #require(try await first.engine.waitingDevices().first).request
      askedByteCount = try #require(try await first.exchange.data(.privateUser)).count
    }

    /// The challenges in the bags that a device sent, before or with the reveal.
    func challenges(from device: Device, revealed: Bool) -> [[UInt8]] {
      device.exchange.sent.compactMap { data in
        switch (data.count - askedByteCount, revealed) {
        case (32, false): Array(data.suffix(32))
        case (96, true): Array(data.suffix(96).prefix(32))
        default: nil
        }
      }
    }

    /// The digits that the new device shows.
    func digits() async throws -> String? {
      guard case .compare(let digits) = try await second.engine.approvalProgress() else {
        return nil
      }
      return digits
    }
  }

  /// Makes the server show a device a changed private key bag.
  private func show(_ device: Device, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    device.exchange.forgedAnswer { place, result in
      place == .privateUser ? altered(result) { $0 = change($0) } : result
    }
  }

  // MARK: Failures

  @Test(arguments: [ServerExchange.Fault.lostRequest, .lostResponse, .falseConflict], 0..<5)
  func `A call that fails at any step succeeds when it is repeated`(
    fault: ServerExchange.Fault, step: Int
  ) async throws {
    let (first, second) = (try await cloud.started("_ada"), try await cloud.device("_ada"))
    func attempt(_ number: Int, on device: Device, _ call: () async throws -> Void) async throws {
      if number == step {
        device.exchange.fail(fault)
        // A conflict is not an error: the call continues automatically.
        if fault != .falseConflict { #expect(await refusal(call) == "TRY_AGAIN_LATER") }
      }
      try await call()
    }
    try await attempt(0, on: second) { try await second.engine.askForApproval(deviceName: "new") }
    let waiting = try await first.engine.waitingDevices()
    #expect(waiting.count == 1)
    let request = try #require(waiting.last).request
    try await attempt(1, on: first) { try await first.engine.beginApproval(of: request) }
    #expect(try await first.engine.waitingDevices() == waiting)
    var shown = ""
    try await attempt(2, on: second) {
      guard case .compare(let digits) = try await second.engine.approvalProgress() else {
        return #expect(Bool(false))
      }
      shown = digits
    }
    try await attempt(3, on: first) { try await first.engine.approve(request, code: shown) }
    // A repeated request is identical: the secret is sealed once.
    if step == 3 { #expect(Set(first.exchange.sent.suffix(2)).count == 1) }
    try await attempt(4, on: second) {
      let isTaken = try await second.engine.takeApprovedKeys()
      #expect(isTaken)
    }
    try await first.makeZone()
    let note = try await first.seal("text")
    #expect(await second.read(note) == "text")
    #expect(try await first.engine.waitingDevices().isEmpty)
  }

  @Test func `A withdrawal that fails succeeds when it is repeated`() async throws {
    let pair = try await Pair(cloud)
    pair.second.exchange.fail(.lostRequest)
    #expect(await refusal { try await pair.second.engine.withdrawRequest() } == "TRY_AGAIN_LATER")
    #expect(await refusal { _ = try await pair.digits() } == "noSuchRequest")
    try await pair.second.engine.withdrawRequest()
    #expect(try await pair.first.engine.waitingDevices().isEmpty)
  }

  @Test func `A request withdrawn while keys are fetched takes no keys`() async throws {
    let pair = try await Pair(cloud)
    try await pair.first.engine.beginApproval(of: pair.request)
    let shown = try #require(try await pair.digits())
    try await pair.first.engine.approve(pair.request, code: shown)
    pair.second.exchange.holdLookUps(2)
    async let taken = refusal { _ = try await pair.second.engine.takeApprovedKeys() }
    // If the withdrawal came first, the other call would look up nothing and take no keys.
    await pair.second.exchange.lookUpIsHeld()
    async let withdrawn = refusal { try await pair.second.engine.withdrawRequest() }
    #expect(await (taken, withdrawn) == ("noSuchRequest", nil))
    guard case .needsApproval = try await pair.second.engine.start() else {
      return #expect(Bool(false))
    }
  }

  @Test func `Overlapping calls take the keys once, and all of them succeed`() async throws {
    let pair = try await Pair(cloud)
    try await pair.first.engine.beginApproval(of: pair.request)
    let shown = try #require(try await pair.digits())
    try await pair.first.engine.approve(pair.request, code: shown)
    let saves = pair.second.exchange.saves
    pair.second.exchange.holdLookUps(2)
    async let one = pair.second.engine.takeApprovedKeys()
    async let other = pair.second.engine.takeApprovedKeys()
    #expect(try await (one, other) == (true, true))
    // The call that takes the keys removes the request.
    #expect(pair.second.exchange.saves - saves == 1)
  }

  // MARK: One challenge, one answer

  @Test func `After a reveal whose answer was lost, no second challenge is answered`()
    async throws
  {
    let pair = try await Pair(cloud)
    try await pair.first.engine.beginApproval(of: pair.request)
    let challenged = try #require(try await pair.first.exchange.data(.privateUser))
    pair.second.exchange.fail(.lostResponse)
    #expect(await refusal { _ = try await pair.digits() } == "TRY_AGAIN_LATER")
    show(pair.second) { _ in challenged.dropLast() + [challenged[challenged.count - 1] ^ 1] }
    #expect(await refusal { _ = try await pair.digits() } == "approvalFailed")
    #expect(pair.challenges(from: pair.second, revealed: true) == [Array(challenged.suffix(32))])
  }

  @Test func `Overlapping calls answer one challenge`() async throws {
    let pair = try await Pair(cloud)
    try await pair.first.engine.beginApproval(of: pair.request)
    let calls = Mutex(UInt8(0))
    show(pair.second) { data in
      let number = calls.withLock { number in
        number += 1
        return number
      }
      return data.dropLast() + [data[data.count - 1] ^ number]
    }
    pair.second.exchange.holdLookUps(2)
    async let one = refusal { _ = try await pair.digits() }
    async let other = refusal { _ = try await pair.digits() }
    let outcomes = await [one, other]
    #expect(outcomes.contains("approvalFailed"))
    #expect(Set(pair.challenges(from: pair.second, revealed: true)).count == 1)
  }

  /// The server shows one challenge after another.
  @Test func `Calls that fail and overlap at random answer at most one challenge`() async throws {
    var generator = SeededGenerator.forTest()
    var revealed = 0
    for round in 0..<40 {
      let pair = try await Pair(Cloud())
      try await pair.first.engine.beginApproval(of: pair.request)
      let challenged = try #require(try await pair.first.exchange.data(.privateUser))
      let chance = Mutex(SeededGenerator(seed: generator.next()))
      show(pair.second) { data in
        chance.withLock { chance in
          guard Bool.random(using: &chance) else { return data }
          return challenged.dropLast() + [
            challenged[challenged.count - 1] ^ UInt8.random(in: 0..<3, using: &chance)
          ]
        }
      }
      for _ in 0..<4 {
        for _ in 0..<2 {
          pair.second.exchange.fail(
            try #require(ServerExchange.Fault.allCases.randomElement(using: &generator)))
        }
        if Bool.random(using: &generator) {
          async let one = try? pair.digits()
          async let other = try? pair.digits()
          _ = await (one, other)
        } else {
          _ = try? await pair.digits()
        }
      }
      let challenges = Set(pair.challenges(from: pair.second, revealed: true))
      #expect(challenges.count <= 1, "\(generator) round \(round)")
      revealed += challenges.count
    }
    #expect(revealed > 20, "\(generator)")
  }

  @Test func `A request gets one challenge, however often its save conflicts or fails`()
    async throws
  {
    let pair = try await Pair(cloud)
    let exchange = pair.first.exchange
    for _ in 0..<16 { exchange.fail(.falseConflict) }
    #expect(await refusal { try await pair.first.engine.beginApproval(of: pair.request) } == "busy")
    exchange.fail(.lostRequest)
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "TRY_AGAIN_LATER")
    exchange.fail(.lostResponse)
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "TRY_AGAIN_LATER")
    try await pair.first.engine.beginApproval(of: pair.request)
    let challenges = pair.challenges(from: pair.first, revealed: false)
    #expect(challenges.count == 18 && Set(challenges).count == 1)
    let shown = try #require(try await pair.digits())
    try await pair.first.engine.approve(pair.request, code: shown)
    #expect(try await pair.second.engine.takeApprovedKeys())
  }

  @Test(arguments: [false, true])
  func `Another commitment under a request's name ends the request`(isWithinOneCall: Bool)
    async throws
  {
    let pair = try await Pair(cloud)
    let calls = Mutex(0)
    show(pair.first) { data in
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      // A conflict reads the bag twice: to compare it with what was sent, and to change it again.
      return number < 2 ? data : data.dropLast() + [data[data.count - 1] ^ 1]
    }
    if isWithinOneCall {
      pair.first.exchange.fail(.falseConflict)
    } else {
      pair.first.exchange.fail(.lostRequest)
      #expect(
        await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
          == "TRY_AGAIN_LATER")
    }
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "approvalFailed")
    pair.first.exchange.forgedAnswer(nil)
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "noSuchRequest")
    #expect(try await pair.first.engine.waitingDevices().isEmpty)
    #expect(pair.challenges(from: pair.first, revealed: false).count == 1)
  }

  @Test func `A rejected request is not answered when the server shows it again`() async throws {
    let pair = try await Pair(cloud)
    let asked = try #require(try await pair.first.exchange.data(.privateUser))
    try await pair.first.engine.refuse(pair.request)
    show(pair.first) { _ in asked }
    #expect(try await pair.first.engine.waitingDevices().isEmpty)
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "noSuchRequest")
  }

  @Test(arguments: [false, true])
  func `A request that another device rejected is not approved`(isRevealed: Bool) async throws {
    let pair = try await Pair(cloud)
    let third = try await cloud.device("_ada")
    try await third.engine.recover(try #require(try await pair.first.engine.recoveryCode()))
    try await pair.first.engine.beginApproval(of: pair.request)
    let shown = try #require(try await pair.digits())
    if isRevealed {
      #expect(
        await refusal { try await pair.first.engine.approve(pair.request, code: "") }
          == "wrongApprovalCode")
    }
    try await third.engine.refuse(pair.request)
    #expect(
      await refusal { try await pair.first.engine.approve(pair.request, code: shown) }
        == "noSuchRequest")
    #expect(
      await refusal { _ = try await pair.second.engine.takeApprovedKeys() } == "noSuchRequest")
    guard case .needsApproval = try await pair.second.engine.start() else {
      return #expect(Bool(false))
    }
  }

  @Test func `A request in a bag that names other keys gets no challenge`() async throws {
    let pair = try await Pair(cloud)
    // The keys follow the header and the name.
    show(pair.first) { data in data.prefix(8) + [data[8] ^ 1] + data.dropFirst(9) }
    #expect(
      await refusal { try await pair.first.engine.beginApproval(of: pair.request) }
        == "approvalFailed")
    #expect(pair.challenges(from: pair.first, revealed: false).isEmpty)
  }

  @Test func `A device with keys makes no request, and a new code keeps pending requests`()
    async throws
  {
    let pair = try await Pair(cloud)
    try await pair.first.engine.askForApproval(deviceName: "itself")
    _ = try await pair.first.engine.renewRecoveryCode()
    #expect(try await pair.first.engine.waitingDevices().map(\.name) == ["new"])
  }

  // MARK: Digits

  /// Bytes from the end of the bag: the opening, the public key, the challenge and the commitment.
  @Test(arguments: [1, 32, 33, 64, 65, 96, 97, 128])
  func `A reveal that does not match ends the approval`(fromEnd: Int) async throws {
    let pair = try await Pair(cloud)
    try await pair.first.engine.beginApproval(of: pair.request)
    let shown = try #require(try await pair.digits())
    show(pair.first) { data in
      var other = data
      other[data.count - fromEnd] ^= 0x40
      return other
    }
    #expect(
      await refusal { try await pair.first.engine.approve(pair.request, code: shown) }
        == "approvalFailed")
    pair.first.exchange.forgedAnswer(nil)
    #expect(
      await refusal { try await pair.first.engine.approve(pair.request, code: shown) }
        == "noSuchRequest")
    #expect(try await !pair.second.engine.takeApprovedKeys())
  }

  /// The digits of an approval with given random bytes.
  private func digits(identity: UInt8, challenge: UInt8, new: UInt8, user: String = "_ada")
    async throws -> String
  {
    let cloud = Cloud()
    let given = Mutex(identity)
    let first = try await cloud.device(user) { count in
      [UInt8](repeating: given.withLock(\.self), count: count)
    }
    let second = try await cloud.device(user) { count in [UInt8](repeating: new, count: count) }
    _ = try await first.engine.start()
    try await second.engine.askForApproval(deviceName: "new")
    given.withLock { $0 = challenge }
    try await first.engine.beginApproval(of: [UInt8](repeating: new, count: 16))
    guard case .compare(let digits) = try await second.engine.approvalProgress() else {
      return "none"
    }
    return digits
  }

  @Test
  func `The digits depend on the identity, challenge, new device and account, each separately`()
    async throws
  {
    let digits = [
      try await digits(identity: 1, challenge: 2, new: 3),
      try await digits(identity: 9, challenge: 2, new: 3),
      try await digits(identity: 1, challenge: 9, new: 3),
      try await digits(identity: 1, challenge: 2, new: 9),
      try await digits(identity: 1, challenge: 2, new: 3, user: "_bob"),
    ]
    #expect(Set(digits).count == 5 && digits.allSatisfy { $0.count == 7 })
    #expect(try await self.digits(identity: 1, challenge: 2, new: 3) == digits[0])
  }

  @Test(
    arguments: [
      (7, 0, nil), (8, 0, "approvalFailed"), (7, 1, "rolledBack"),
    ] as [(UInt8, Int64, String?)])
  func `Keys other than those that the digits confirm, or with an older state, are rejected`(
    secret: UInt8, stateNumber: Int64, code: String?
  ) async throws {
    // The user's secret is 32 times the byte 7.
    let pair = try await Pair(
      cloud, randomBytes: ({ [UInt8](repeating: 7, count: $0) }, { SecureRandom.bytes($0) }))
    try await pair.first.engine.beginApproval(of: pair.request)
    _ = try #require(try await pair.digits())
    let revealed = try #require(try await pair.first.exchange.data(.privateUser))
    let identity = try #require(try await pair.first.engine.identity(of: "_ada"))
    var info = BinaryWriter()
    for text in [
      "parhelion.device.secret.1", Cloud.container.container, "development", "_ada", "_ada",
    ] {
      info.text(text)
    }
    for bytes in [identity.signingKey.bytes, identity.agreementKey.bytes, pair.request] {
      info.fixed(bytes)
    }
    let key = try #require(AgreementPublicKey(Array(revealed.suffix(64).prefix(32))))
    let ephemeral = AgreementPrivateKey(SecretBytes([UInt8](repeating: 5, count: 32)))
    var message = BinaryWriter()
    message.fixed([UInt8](repeating: secret, count: 32))
    message.signed(stateNumber)
    let sealed = try #require(
      SealedMessage.seal(message.bytes, to: key, info: info.bytes, ephemeral: ephemeral))
    var approved = BinaryWriter()
    approved.byte(4)
    approved.data(sealed)
    let forged = revealed.dropLast(129) + approved.bytes
    show(pair.second) { _ in Array(forged) }
    let refused = await refusal { _ = try await pair.second.engine.takeApprovedKeys() }
    #expect(refused == code)
  }

  @Test func `Keys that arrive before an answer are rejected`() async throws {
    let pair = try await Pair(cloud)
    show(pair.second) { data in
      var approved = BinaryWriter()
      approved.byte(4)
      approved.data([UInt8](repeating: 1, count: 80))
      return Array(data.dropLast(33) + approved.bytes)
    }
    #expect(
      await refusal { _ = try await pair.second.engine.takeApprovedKeys() } == "approvalFailed")
    #expect(try await pair.digits() == nil)
  }

  // MARK: Displayed text

  @Test(arguments: [
    ("\u{1B}[2J\u{1B}[31mroot\u{7}\n\nApproved: yes", "[2J [31mroot Approved: yes"),
    ("one\u{202E}two\u{2066}three\u{200B}four\u{FEFF}", "one two three four"),
    ("one\u{2028}two\u{85}three\u{9B}0m", "one two three 0m"),
    ("    Ada's\u{A0}tablet  ", "Ada's tablet"),
    ("\u{E000}\u{200F}\t\u{FFFE}", "unnamed"), ("日本語 é\u{301}", "日本語 é\u{301}"),
  ])
  func `A name from the server is shown as one clean line`(name: String, shown: String) async throws
  {
    let (first, second) = (try await cloud.started("_ada"), try await cloud.device("_ada"))
    let placeholder = [UInt8](repeating: UInt8(ascii: "Q"), count: name.utf8.count)
    try await second.engine.askForApproval(deviceName: String(decoding: placeholder, as: UTF8.self))
    show(first) { data in
      let start = data.indices.first { data[$0...].starts(with: placeholder) } ?? 0
      return Array(data[..<start] + Array(name.utf8) + data[(start + placeholder.count)...])
    }
    #expect(try await first.engine.waitingDevices().map(\.name) == [shown])
    // A device sends the cleaned name, too.
    first.exchange.forgedAnswer(nil)
    try await second.engine.askForApproval(deviceName: name)
    let bag = try #require(try await first.exchange.data(.privateUser))
    #expect(bag.indices.contains { bag[$0...].starts(with: Array(shown.utf8)) })
    #expect(name == shown || !bag.indices.contains { bag[$0...].starts(with: Array(name.utf8)) })
  }

  @Test func `A device shows only the last eight requests of a bag`() async throws {
    let first = try await cloud.started("_ada")
    let empty = try #require(try await first.exchange.data(.privateUser))
    try await cloud.device("_ada").engine.askForApproval(deviceName: "new")
    let request = try #require(try await first.exchange.data(.privateUser)).dropFirst(empty.count)
    let requests = (0..<100 as Range<UInt8>).flatMap { [$0] + request.dropFirst() }
    show(first) { _ in empty.dropLast() + [100] + requests }
    let waiting = try await first.engine.waitingDevices()
    #expect(waiting.map { $0.request[0] } == Array(92..<100))
  }
}
