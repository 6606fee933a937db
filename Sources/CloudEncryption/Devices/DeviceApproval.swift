import BinaryForms
import CloudRecords
import Cryptography

/// How a device that has the user's keys gives them to a new one, over a server that neither trusts.
///
///     new device                       private key bag                         device with the keys
///     NewDevice.init          ──▶  asked(commitment)
///                                  challenged(commitment, challenge)   ◀──  ApprovingDevice.init
///     NewDevice.reveal        ──▶  revealed(…, public key, opening)    ──▶  ApprovingDevice.code
///     both show six digits, and the user says on both whether they are the same
///                                  approved(sealed secret)             ◀──  ApprovingDevice.approve
///     NewDevice.keys          ◀──
///
/// The digits are a hash of all that was exchanged and of the user's public keys. Six of them suffice because neither side, nor who sits
/// between them, can choose its part after it has seen the other's: the new device is bound by its commitment before the challenge is
/// known, and the challenge is given before the new device shows what it committed to. So a false server must guess the digits, once.
enum DeviceApproval {
  /// The hash that binds a new device to what it will reveal.
  static func commitment(to reveal: DeviceReveal, request: [UInt8], _ account: EncryptionAccount) -> [UInt8] {
    var form = FormWriter(purpose: "parhelion.device.commitment.1")
    form.account(account)
    form.fixed(request)
    form.fixed(reveal.publicKey)
    form.fixed(reveal.opening)
    return Digest.of(form.bytes)
  }

  /// The digits that both devices show.
  static func code(
    _ reveal: DeviceReveal, challenge: [UInt8], identity: PublicIdentity, request: [UInt8], _ account: EncryptionAccount
  ) -> String {
    var form = FormWriter(purpose: "parhelion.device.code.1")
    form.account(account)
    form.identity(identity)
    form.fixed(request)
    form.fixed(reveal.publicKey)
    form.fixed(reveal.opening)
    form.fixed(challenge)
    let number = Digest.of(form.bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = Digits.text(number, count: 6)
    return "\(digits.prefix(3)) \(digits.suffix(3))"
  }

  /// What the sealed secret is for.
  static func info(_ account: EncryptionAccount, identity: PublicIdentity, request: [UInt8]) -> [UInt8] {
    var form = FormWriter(purpose: "parhelion.device.secret.1")
    form.account(account)
    form.identity(identity)
    form.fixed(request)
    return form.bytes
  }

  static func failed(_ reason: String) -> EncryptionError {
    EncryptionError(
      .approvalFailed,
      "The approval was ended because \(reason): the server may be between the two devices. Nothing was handed over. Begin again, or use the recovery code."
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

/// The side that asks.
struct NewDevice: Sendable {
  let request: [UInt8]
  private let account: EncryptionAccount
  private let key: AgreementPrivateKey
  private let reveal: DeviceReveal
  /// The challenge that was answered, and whose keys it spoke of: neither may change afterwards.
  private var answered: (challenge: [UInt8], identity: PublicIdentity)?

  init(_ account: EncryptionAccount, _ randomBytes: RandomBytes) {
    self.account = account
    request = randomBytes(DeviceRequest.identifierByteCount)
    key = AgreementPrivateKey(.make(AgreementPrivateKey.byteCount, randomBytes))
    reveal = DeviceReveal(publicKey: key.publicKey.bytes, opening: randomBytes(32))
  }

  /// The first step.
  func asked(deviceName: String, at time: Timestamp) -> DeviceRequest {
    DeviceRequest(
      identifier: request, deviceName: deviceName, asked: time,
      step: .asked(commitment: DeviceApproval.commitment(to: reveal, request: request, account)))
  }

  /// The digits to show; nil before the challenge came.
  var code: String? {
    answered.map {
      DeviceApproval.code(reveal, challenge: $0.challenge, identity: $0.identity, request: request, account)
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

  /// The end: takes the secret, if it is that of the keys which the digits spoke of.
  func keys(_ sealedSecret: [UInt8]) throws(EncryptionError) -> UserKeys {
    guard let answered else { throw DeviceApproval.failed("keys came before any digits were compared") }
    let info = DeviceApproval.info(account, identity: answered.identity, request: request)
    guard var secret = SealedMessage.open(sealedSecret, with: key, info: info),
      secret.count == UserKeys.secretByteCount
    else { throw DeviceApproval.failed("what came was not sealed for this device") }
    let keys = UserKeys(SecretBytes(taking: &secret), userRecordName: account.userRecordName)
    guard keys.identity == answered.identity else {
      throw DeviceApproval.failed("the keys are not those that the digits spoke of")
    }
    return keys
  }
}

// MARK: - The device that has the keys

/// The side that is asked.
struct ApprovingDevice: Sendable {
  let request: [UInt8]
  private let account: EncryptionAccount
  private let commitment: [UInt8]
  private let challenge: [UInt8]
  private var reveal: DeviceReveal?

  /// The second step.
  init(request: [UInt8], commitment: [UInt8], _ account: EncryptionAccount, _ randomBytes: RandomBytes) {
    self.request = request
    self.account = account
    self.commitment = commitment
    challenge = randomBytes(32)
  }

  var challenged: DeviceRequest.Step { .challenged(commitment: commitment, challenge: challenge) }

  /// Whether the step follows from this device's challenge.
  func hasChallenged(_ step: DeviceRequest.Step) -> Bool {
    switch step {
    case .challenged(_, let challenge), .revealed(_, let challenge, _): challenge == self.challenge
    default: false
    }
  }

  /// The digits to show, once the new device has revealed itself; nil before.
  mutating func code(
    _ step: DeviceRequest.Step, identity: PublicIdentity
  ) throws(EncryptionError) -> String? {
    guard case .revealed(_, let challenge, let reveal) = step else { return nil }
    guard challenge == self.challenge else { throw DeviceApproval.failed("the challenge is not this device's") }
    guard DeviceApproval.commitment(to: reveal, request: request, account) == commitment else {
      throw DeviceApproval.failed("the new device is not the one that asked")
    }
    self.reveal = reveal
    return DeviceApproval.code(reveal, challenge: challenge, identity: identity, request: request, account)
  }

  /// The fourth step, when the user said that the digits are the same: seals the secret to the key that they spoke of.
  func approve(_ keys: UserKeys, _ randomBytes: RandomBytes) throws(EncryptionError) -> DeviceRequest.Step {
    guard let reveal, let recipient = AgreementPublicKey(reveal.publicKey) else {
      throw DeviceApproval.failed("no digits were compared yet")
    }
    let info = DeviceApproval.info(account, identity: keys.identity, request: request)
    guard let sealed = SealedMessage.seal(keys.secret, to: recipient, info: info, randomBytes) else {
      throw DeviceApproval.failed("the new device has a key that keeps no secret")
    }
    return .approved(sealedSecret: sealed)
  }
}
