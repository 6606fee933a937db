import BinaryCoding
import CloudRecords
import Cryptography

/// The protocol by which a device with the user's keys passes them to a new device, over an
/// untrusted server.
///
///     new device                   private key bag                      device with the keys
///     NewDevice.init          ──▶  asked(commitment)
///                                  challenged(…, challenge)        ◀──  ApprovingDevice.init
///     NewDevice.reveal        ──▶  revealed(…, key, opening)       ──▶  recordReveal(_:)
///     shows six digits, which the user types on the device with the keys
///                                  approved(sealed secret)         ◀──  approve(…)
///     NewDevice.keys          ◀──  after the user confirms that the digits were accepted
///
/// The digits are a hash of all messages and the user's public keys. Six digits suffice, because
/// neither device nor the server can choose its values after it has seen the others'. Each device
/// answers a request only once, and stores its answer before it sends it. So a lost response or a
/// conflict cannot make it choose again.
enum DeviceApproval {
  /// Returns the hash that commits a new device to the values that it will reveal.
  static func commitment(to reveal: DeviceReveal, request: [UInt8], _ account: EncryptionAccount)
    -> [UInt8]
  {
    var form = BinaryWriter(purpose: "parhelion.device.commitment.1")
    form.account(account)
    form.fixed(request)
    form.fixed(reveal.publicKey)
    form.fixed(reveal.opening)
    return Digest.of(form.bytes)
  }

  /// Returns the digits that both devices compute.
  static func code(
    _ reveal: DeviceReveal, challenge: [UInt8], identity: PublicIdentity, request: [UInt8],
    _ account: EncryptionAccount
  ) -> String {
    var form = BinaryWriter(purpose: "parhelion.device.code.1")
    form.account(account)
    form.identity(identity)
    form.fixed(request)
    form.fixed(reveal.publicKey)
    form.fixed(reveal.opening)
    form.fixed(challenge)
    let number =
      Digest.of(form.bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = Digits.text(number, count: 6)
    return "\(digits.prefix(3)) \(digits.suffix(3))"
  }

  /// Returns the context to which the sealed secret is bound.
  static func info(_ account: EncryptionAccount, identity: PublicIdentity, request: [UInt8])
    -> [UInt8]
  {
    var form = BinaryWriter(purpose: "parhelion.device.secret.1")
    form.account(account)
    form.identity(identity)
    form.fixed(request)
    return form.bytes
  }

  static func failed(_ reason: String) -> EncryptionError {
    EncryptionError(
      .approvalFailed,
      "The approval was ended because \(reason): the server may be between the two devices. No keys were passed on. Start again, or use the recovery code."
    )
  }
}

extension Digest {
  fileprivate static func of(_ bytes: [UInt8]) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(bytes)
    return digest.finish()
  }
}

// MARK: - The new device

/// The device that asks for the keys.
///
/// It cannot be copied: a copy from before the first answer could answer a second challenge.
struct NewDevice: ~Copyable, Sendable {
  let request: [UInt8]
  private let account: EncryptionAccount
  private let key: AgreementPrivateKey
  private let reveal: DeviceReveal
  /// The answered challenge and the identity of its sender, which never change afterwards.
  private var answered: (challenge: [UInt8], identity: PublicIdentity)?

  init(_ account: EncryptionAccount, _ randomBytes: RandomBytes) {
    self.account = account
    request = randomBytes(DeviceRequest.identifierByteCount)
    key = AgreementPrivateKey(.make(AgreementPrivateKey.byteCount, randomBytes))
    reveal = DeviceReveal(publicKey: key.publicKey.bytes, opening: randomBytes(32))
  }

  /// The first step: creates the request with the commitment.
  func asked(deviceName: String, at time: Timestamp) -> DeviceRequest {
    DeviceRequest(
      identifier: request, deviceName: deviceName, asked: time,
      step: .asked(commitment: DeviceApproval.commitment(to: reveal, request: request, account)))
  }

  /// The digits to show, or nil before the challenge has arrived.
  var code: String? {
    answered.map {
      DeviceApproval.code(
        reveal, challenge: $0.challenge, identity: $0.identity, request: request, account)
    }
  }

  /// The third step: answers the first challenge, and no other.
  mutating func reveal(
    for challenge: [UInt8], of identity: PublicIdentity
  ) throws(EncryptionError) -> DeviceRequest.Step {
    if let answered, answered.challenge != challenge || answered.identity != identity {
      throw DeviceApproval.failed("the challenge is not the one that was answered")
    }
    answered = (challenge, identity)
    let commitment = DeviceApproval.commitment(to: reveal, request: request, account)
    return .revealed(commitment: commitment, challenge: challenge, reveal)
  }

  /// The last step: opens the secret if it belongs to the identity that the digits confirm.
  ///
  /// - Returns: The keys, and the number of the device state that the other device has written.
  func keys(_ sealedSecret: [UInt8]) throws(EncryptionError) -> (UserKeys, stateNumber: Int64) {
    guard let answered else {
      throw DeviceApproval.failed("keys came before any digits were compared")
    }
    let info = DeviceApproval.info(account, identity: answered.identity, request: request)
    guard var message = SealedMessage.open(sealedSecret, with: key, info: info),
      message.count > UserKeys.secretByteCount
    else { throw DeviceApproval.failed("the received keys were not sealed for this device") }
    defer { SecretBytes.wipe(&message) }
    var secret = Array(message.prefix(UserKeys.secretByteCount))
    var rest = BinaryReader(Array(message.dropFirst(UserKeys.secretByteCount)))
    guard let number = try? rest.signed() else {
      throw DeviceApproval.failed("the received keys have no number of the devices' state")
    }
    let keys = UserKeys(SecretBytes(taking: &secret), userRecordName: account.userRecordName)
    guard keys.identity == answered.identity else {
      throw DeviceApproval.failed("the keys are not those that the digits confirmed")
    }
    return (keys, number)
  }
}

// MARK: - The device that has the keys

/// The device that has the keys.
///
/// It sends one challenge, for one commitment.
struct ApprovingDevice: Sendable {
  let request: [UInt8]
  private let account: EncryptionAccount
  private let commitment: [UInt8]
  private let challenge: [UInt8]
  /// The values that the new device revealed, or nil before it has answered.
  private var reveal: DeviceReveal?
  private var wrongCodes = 0
  /// The sealed secret after the right digits were typed.
  ///
  /// A second attempt sends the same sealed secret.
  private var approved: DeviceRequest.Step?

  /// The second step: creates the challenge.
  init(
    request: [UInt8], commitment: [UInt8], _ account: EncryptionAccount, _ randomBytes: RandomBytes
  ) {
    self.request = request
    self.account = account
    self.commitment = commitment
    challenge = randomBytes(32)
  }

  var challenged: DeviceRequest.Step { .challenged(commitment: commitment, challenge: challenge) }

  /// The relation of a request's step to the challenge of this device.
  enum Relation: Hashable, Sendable {
    case before, after
    case ofAnotherDevice
  }

  /// Compares a request's step with the challenge.
  ///
  /// - Throws: `approvalFailed` if the step has another commitment.
  func relation(to step: DeviceRequest.Step) throws(EncryptionError) -> Relation {
    switch step {
    case .asked(let commitment):
      try require(commitment)
      return .before
    case .challenged(let commitment, let challenge), .revealed(let commitment, let challenge, _):
      try require(commitment)
      return challenge == self.challenge ? .after : .ofAnotherDevice
    case .approved, .refused: return .after
    }
  }

  private func require(_ commitment: [UInt8]) throws(EncryptionError) {
    guard commitment == self.commitment else {
      throw DeviceApproval.failed("the request's commitment has changed")
    }
  }

  /// Records the values that the new device revealed.
  ///
  /// - Throws: `notAnswered` if the new device has revealed nothing, `approvalFailed` if the values
  ///   do not match its commitment.
  mutating func recordReveal(_ step: DeviceRequest.Step) throws(EncryptionError) {
    let relation = try relation(to: step)
    guard case .revealed(_, _, let reveal) = step else {
      if self.reveal == nil { throw Self.notAnswered }
      return
    }
    guard relation == .after else {
      throw DeviceApproval.failed("the challenge is not this device's")
    }
    guard DeviceApproval.commitment(to: reveal, request: request, account) == commitment else {
      throw DeviceApproval.failed("the new device is not the one that asked")
    }
    self.reveal = reveal
  }

  /// The fourth step: seals the secret to the new device's public key if the user typed the right
  /// digits.
  ///
  /// - Throws: `wrongApprovalCode` for wrong digits, and `approvalFailed` after several attempts.
  mutating func approve(
    _ keys: UserKeys, stateNumber: Int64, typed: String, _ randomBytes: RandomBytes
  ) throws(EncryptionError) -> DeviceRequest.Step {
    guard let reveal else { throw Self.notAnswered }
    let code = DeviceApproval.code(
      reveal, challenge: challenge, identity: keys.identity, request: request, account)
    guard Digits.typed(typed) == Digits.typed(code) else {
      wrongCodes += 1
      guard wrongCodes < Limits.wrongApprovalCodes else {
        throw DeviceApproval.failed("wrong digits were typed \(wrongCodes) times")
      }
      throw Self.wrongCode
    }
    if let approved { return approved }
    let info = DeviceApproval.info(account, identity: keys.identity, request: request)
    var message = BinaryWriter()
    message.fixed(keys.secret.bytes)
    message.signed(stateNumber)
    var bytes = message.bytes
    guard let recipient = AgreementPublicKey(reveal.publicKey),
      let sealed = SealedMessage.seal(
        SecretBytes(taking: &bytes), to: recipient, info: info, randomBytes)
    else { throw DeviceApproval.failed("the new device's public key is weak") }
    let step = DeviceRequest.Step.approved(sealedSecret: sealed)
    approved = step
    return step
  }

  private static var notAnswered: EncryptionError {
    EncryptionError(
      .notAnswered,
      "The new device has not answered yet. Type the digits after the new device shows them.")
  }

  private static var wrongCode: EncryptionError {
    EncryptionError(
      .wrongApprovalCode,
      "The typed digits do not match the request, and no keys were passed on. Type the digits that the new device shows. If they are rejected again, reject the request: the server may be between the two devices."
    )
  }
}

/// An approval on the device that has the keys.
enum OpenedApproval: Sendable {
  case open(ApprovingDevice)
  /// The approval succeeded, failed or was rejected. The same request gets no further answer.
  case ended
}

extension DeviceRequest {
  /// Whether this device can answer the request.
  ///
  /// - Parameter approval: The approval that this device has started; nil for none.
  func isWaiting(_ approval: OpenedApproval?) -> Bool {
    switch (step, approval) {
    case (.approved, _), (.refused, _), (_, .ended): false
    case (.asked, _): true
    case (.challenged, nil), (.revealed, nil): false
    case (let step, .open(let device)): (try? device.relation(to: step)) == .after
    }
  }
}
