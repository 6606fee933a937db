import BinaryCoding
import CloudRecords
import Cryptography

/// The stored keys of one account on a device.
package struct StoredKeys: Sendable {
  /// The user's secret, and the recovery code if this device knows it.
  struct Own: Sendable {
    let secret: SecretBytes
    let code: RecoveryCode?

    /// The keys that are derived from the secret.
    func keys(of account: EncryptionAccount) -> UserKeys {
      UserKeys(secret, userRecordName: account.userRecordName)
    }
  }

  /// The keys in use.
  var own: Own?
  /// Whether the recovery code of the keys in use has not been shown yet.
  var isCodeUnseen = false
  /// The code of the last private key bag that this device sent without a response.
  ///
  /// It opens the bag on the server if that request arrived. The code itself is never sent.
  var pendingCode: RecoveryCode?
  /// Keys that were created, but may not have reached the server yet.
  var pending: Own?
  /// The state that this device shares with the user's other devices.
  var state = DeviceState()
  /// The number of the last state in the private key bag that this device has seen.
  var stateNumber: Int64 = 0
  /// Whether the state has changes that are not in the private key bag yet.
  var isStateUnsent = false
  /// The participants that the server lists and that wait for an invitation or a confirmation.
  var keyRequests: [KeyScope: Set<String>] = [:]
  var rings: [KeyScope: KeyRing] = [:]
  /// Zones and shares that may still have values under old keys.
  var scopesToReseal: Set<KeyScope> = []

  package init() {}

  /// The trusted public keys of other users.
  package var people: [String: KnownPerson] {
    get { state.people }
    set { state.people = newValue }
  }

  /// Whether a device of the user has decided about people or made a link.
  package var hasInvitations: Bool { !state.intents.isEmpty || !state.links.isEmpty }

  /// Whether no keys are stored, as in a new store.
  ///
  /// Intents do not count, because a program may invite people before it encrypts anything.
  package var isEmpty: Bool {
    own == nil && pending == nil && people.isEmpty && state.marks.isEmpty && rings.isEmpty
      && scopesToReseal.isEmpty
  }
}

// MARK: - The user's own keys

extension StoredKeys.Own {
  /// Creates a secret.
  init(code: RecoveryCode, _ randomBytes: RandomBytes) {
    self.init(secret: .make(UserKeys.secretByteCount, randomBytes), code: code)
  }
}

extension StoredKeys {
  /// Replaces the user's keys by new ones that have not reached the server yet.
  mutating func replaceKeys(by made: Own) {
    own = nil
    pending = made
    abandonKeys()
  }

  /// Uses keys that this device created and that have reached the server.
  mutating func usePending(_ made: Own) {
    own = made
    (pending, isCodeUnseen) = (nil, true)
  }

  /// Removes all rings, because the user has new keys.
  ///
  /// Known people stay. The former rings end, so they never become current again.
  mutating func abandonKeys() {
    (rings, scopesToReseal, pendingCode) = ([:], [], nil)
    for scope in state.marks.keys { state.marks[scope]?.end() }
    // Links contain the fingerprint of the former keys.
    for scope in state.links.keys { state.links[scope]?.withdraw() }
    (stateNumber, isStateUnsent) = (0, true)
  }

  /// Keeps the pending code if it opens the private key bag, else none.
  ///
  /// - Parameter former: The keys before the bag was fetched. A code that was stored since then
  ///   stays.
  mutating func settleCode(of former: Own, by bag: PrivateBag, _ account: EncryptionAccount) {
    guard own?.secret == former.secret, own?.code == former.code else { return }
    let code = pendingCode.flatMap { bag.isOpened(by: $0, account: account) ? $0 : nil }
    own = Own(secret: former.secret, code: code)
    isCodeUnseen = code != nil
    if code != nil { pendingCode = nil }
  }
}

// MARK: - Bytes

extension StoredKeys {
  /// The contents of the file: its kind, the account, the keys, and a digest that detects damage.
  func bytes(of account: EncryptionAccount) -> [UInt8] {
    var form = BinaryWriter(.storedKeys, version: Self.version)
    form.account(account)
    form.optional(own) { $0.own($1) }
    form.optional(pending) { $0.own($1) }
    state.write(to: &form)
    form.signed(stateNumber)
    form.byte(isStateUnsent ? 1 : 0)
    form.count(rings.count)
    for (_, ring) in rings.sorted(by: { $0.key < $1.key }) { form.ring(ring) }
    form.count(keyRequests.count)
    for (scope, users) in keyRequests.sorted(by: { $0.key < $1.key }) {
      form.scope(scope)
      form.count(users.count)
      for user in users.sorted() { form.text(user) }
    }
    form.count(scopesToReseal.count)
    for scope in scopesToReseal.sorted() { form.scope(scope) }
    form.byte(isCodeUnseen ? 1 : 0)
    form.optional(pendingCode) { $0.fixed($1.stored) }
    form.fixed(Self.digest(form.bytes))
    return form.bytes
  }

  init(_ bytes: [UInt8], of account: EncryptionAccount, place: String) throws(EncryptionError) {
    if let version = Self.version(of: bytes), version > Self.version {
      throw EncryptionError(
        .storeOfLaterVersion,
        "Another version of this library wrote the file of keys \(place): it has the form \(version), and this version reads form \(Self.version). Use that version, or name another folder for accounts and keys."
      )
    }
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      _ = try form.heading(.storedKeys)
      guard Self.version(of: bytes) != nil else { throw form.error("its digest is wrong") }
      let container = try form.container()
      guard container == account.container, try form.text() == account.userRecordName else {
        throw form.error("it belongs to another account")
      }
      own = try form.optional { (form) throws(BinaryCodingError) in try form.own() }
      pending = try form.optional { (form) throws(BinaryCodingError) in try form.own() }
      state = try DeviceState(from: &form)
      stateNumber = try form.signed()
      isStateUnsent = try form.byte() != 0
      for ring in try form.list({ (form) throws(BinaryCodingError) in try form.ring() }) {
        rings[ring.scope] = ring
      }
      for _ in 0..<(try form.count()) {
        let scope = try form.scope()
        keyRequests[scope] = Set(
          try form.list { (form) throws(BinaryCodingError) in try form.text() })
      }
      scopesToReseal = Set(try form.list { (form) throws(BinaryCodingError) in try form.scope() })
      isCodeUnseen = try form.byte() != 0
      pendingCode = try form.code()
      _ = try form.fixed(Self.digestByteCount)
      try form.requireEnd()
    } catch {
      throw EncryptionError(
        .storeDamaged,
        "The file of keys \(place) is not used: \(error.reason). Restore it from a backup, or move it away and use the recovery code or another device."
      )
    }
  }

  /// The version of an intact file, or nil for any other file.
  private static func version(of bytes: [UInt8]) -> UInt8? {
    guard digest(Array(bytes.dropLast(digestByteCount))) == Array(bytes.suffix(digestByteCount))
    else { return nil }
    var form = BinaryReader(bytes)
    return try? form.heading(.storedKeys)
  }

  private static let version: UInt8 = 1
  private static let digestByteCount = 32

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(bytes)
    return digest.finish()
  }
}

extension BinaryWriter {
  fileprivate mutating func own(_ own: StoredKeys.Own) {
    fixed(own.secret.bytes)
    optional(own.code) { $0.fixed($1.stored) }
  }

  fileprivate mutating func ring(_ ring: KeyRing) {
    scope(ring.scope)
    fixed(ring.identifier)
    signed(ring.epoch)
    count(ring.keys.count)
    for key in ring.keys { fixed(key.secret.bytes) }
    count(ring.recipients.count)
    for recipient in ring.recipients { identity(recipient) }
    ring.authority.write(to: &self)
    ring.writers.write(to: &self)
  }
}

extension BinaryReader {
  fileprivate mutating func own() throws(BinaryCodingError) -> StoredKeys.Own {
    StoredKeys.Own(secret: try secret(UserKeys.secretByteCount), code: try code())
  }

  fileprivate mutating func code() throws(BinaryCodingError) -> RecoveryCode? {
    let symbols = try optional { (form) throws(BinaryCodingError) in
      try form.fixed(RecoveryCode.symbolCount)
    }
    return symbols.flatMap { RecoveryCode(symbols: $0) }
  }

  fileprivate mutating func ring() throws(BinaryCodingError) -> KeyRing {
    let scope = try scope()
    let identifier = try fixed(KeyRing.identifierByteCount)
    let epoch = try signed()
    let keys = try list { (form) throws(BinaryCodingError) in
      ZoneKey(try form.secret(ZoneKey.byteCount))
    }
    guard !keys.isEmpty else { throw error("a ring has no keys") }
    let recipients = try list { (form) throws(BinaryCodingError) in try form.identity() }
    return KeyRing(
      scope: scope, identifier: identifier, epoch: epoch, keys: keys, recipients: recipients,
      authority: try RingAuthority(from: &self), writers: try RingWriters(from: &self))
  }

  private mutating func secret(_ count: Int) throws(BinaryCodingError) -> SecretBytes {
    var bytes = try fixed(count)
    return SecretBytes(taking: &bytes)
  }
}
