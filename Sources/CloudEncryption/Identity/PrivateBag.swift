import BinaryCoding
import CloudRecords
import Cryptography

/// The bag `USER_PRIVATE`: the user's sealed secret, the requests of new devices, and the state
/// that the user's devices share.
///
/// The recovery code's key seals the secret. Unsealed parts are not trusted. Opening the secret
/// proves the identity, and devices prove themselves (`DeviceApproval`).
struct PrivateBag: Hashable, Sendable {
  let identity: PublicIdentity
  /// A nonce, and the secret sealed under the recovery code's key.
  private let envelope: [UInt8]
  /// A `NumberedState`, sealed for the user's devices; empty for none.
  var sealedState: [UInt8]
  var requests: [DeviceRequest]
  /// The time of the fetch, by the server's clock, which is the same for all of the user's devices.
  private(set) var fetched: Timestamp?

  /// Seals a user's secret.
  init(_ keys: UserKeys, code: RecoveryCode, account: EncryptionAccount, _ randomBytes: RandomBytes)
  {
    identity = keys.identity
    let nonce = randomBytes(AuthenticatedEncryption.nonceByteCount)
    var secret = keys.secret.bytes
    defer { SecretBytes.wipe(&secret) }
    envelope =
      nonce
      + AuthenticatedEncryption.seal(
        secret, key: code.key(for: account), nonce: nonce,
        associated: Self.associated(account, keys.identity))
    sealedState = []
    requests = []
  }

  /// Opens the user's keys.
  func open(_ code: RecoveryCode, account: EncryptionAccount) throws(EncryptionError) -> UserKeys {
    let nonce = Array(envelope.prefix(AuthenticatedEncryption.nonceByteCount))
    let sealed = Array(envelope.dropFirst(AuthenticatedEncryption.nonceByteCount))
    let opened = AuthenticatedEncryption.open(
      sealed, key: code.key(for: account), nonce: nonce,
      associated: Self.associated(account, identity))
    guard var opened, opened.count == UserKeys.secretByteCount else {
      throw EncryptionError(
        .wrongRecoveryCode,
        "The recovery code is well formed, but does not belong to the keys of “\(account.userRecordName)” in \(account.container.container). Use the latest recovery code, or approve this device from another one."
      )
    }
    let keys = UserKeys(SecretBytes(taking: &opened), userRecordName: account.userRecordName)
    guard keys.identity == identity else {
      throw Self.forged("it names other keys than it contains")
    }
    return keys
  }

  /// Whether a code opens the user's keys.
  func isOpened(by code: RecoveryCode, account: EncryptionAccount) -> Bool {
    (try? open(code, account: account)) != nil
  }

  private static func associated(_ account: EncryptionAccount, _ identity: PublicIdentity)
    -> [UInt8]
  {
    var form = BinaryWriter(purpose: "parhelion.private-bag.1")
    form.account(account)
    form.identity(identity)
    return form.bytes
  }

  private static func forged(_ reason: String) -> EncryptionError {
    EncryptionError(
      .forgedBag,
      "The user's private key bag is not used: \(reason). A device with the keys can write it again (renewRecoveryCode). Without one, all encrypted data must be reset."
    )
  }
}

// MARK: - Time

extension PrivateBag {
  /// Reads a fetched bag, without expired requests of devices.
  ///
  /// A server with a false time can keep requests alive, but gains nothing, because answering one
  /// requires matching digits.
  init(_ bag: FetchedBag, account: EncryptionAccount) throws(EncryptionError) {
    try self.init(bag.data, account: account)
    fetched = bag.now
    if let now = bag.now {
      // Neither time is authenticated, so their difference may overflow.
      let (last, isBeforeAll) = now.milliseconds.subtractingReportingOverflow(
        Limits.secondsOfRequest * 1_000)
      requests.removeAll { !isBeforeAll && $0.asked.milliseconds < last }
    }
    // Devices respect the limit when they ask, but a hostile server need not.
    requests.removeFirst(max(0, requests.count - Limits.waitingDevices))
  }
}

// MARK: - Bytes

extension PrivateBag {
  var bytes: [UInt8] {
    var form = BinaryWriter(.privateBag)
    form.identity(identity)
    form.data(envelope)
    form.data(sealedState)
    form.count(requests.count)
    for request in requests { request.write(to: &form) }
    return form.bytes
  }

  init(_ bytes: [UInt8], account: EncryptionAccount) throws(EncryptionError) {
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      try form.requireHeading(.privateBag)
      identity = try form.identity()
      guard identity.userRecordName == account.userRecordName else {
        throw form.error("it belongs to another user")
      }
      envelope = try form.data()
      sealedState = try form.data()
      requests = try form.list { (form) throws(BinaryCodingError) in try DeviceRequest(from: &form)
      }
      try form.requireEnd()
    } catch {
      throw Self.forged(error.reason)
    }
  }
}
