import BinaryCoding
import CloudRecords
import Cryptography
import RecordStorage

/// The listener of a push token: a user's device, and the session in which it registered.
struct PushListener: Hashable, Sendable {
  let realm: Realm
  let user: String
  /// The client's own identifier.
  var client: String
  /// The identifier of the session; nil if the caller authenticated by other means.
  var session: String?

  init(realm: Realm, user: String, client: String, session: String?) {
    self.realm = realm
    self.user = user
    self.client = client
    self.session = session
  }

  /// Decodes the listener of a push token.
  ///
  /// - Parameter key: The storage key, which contains the realm and the user.
  fileprivate init(key: Span<UInt8>, bytes: [UInt8], of token: String) throws {
    var reader = StorageKeyReader(after: Self.prefix(of: token))
    realm = Realm(number: try reader.unsigned(in: key))
    user = try reader.text(in: key)
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of listener") }
    client = try form.text()
    session = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a listener") }
  }
}

// MARK: - Stored encoding

extension PushListener {
  private static let version: UInt8 = 1
  private static let partition = "_listeners"

  private var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 96)
    form.byte(Self.version)
    form.text(client)
    form.optional(session) { $0.text($1) }
    return form.bytes
  }

  /// Keys contain hashes, since tokens from other services have any length.
  private static func prefix(of token: String) -> StorageKey {
    var key = StorageKey(partition: partition, keyspace: Keyspace.pushToken.rawValue)
    key.append(bytes: DigestAlgorithm.sha256.hash(Array(token.utf8)))
    return key
  }

  private static func key(_ token: String, _ realm: Realm, _ user: String) -> StorageKey {
    var key = prefix(of: token)
    key.append(unsigned: realm.number)
    key.append(text: user)
    return key
  }

  func save(as token: String, in transaction: any StorageWriting) throws {
    try transaction.set(bytes, for: Self.key(token, realm, user))
  }

  static func remove(
    _ token: String, of user: String, in realm: Realm, _ transaction: any StorageWriting
  ) throws {
    try transaction.remove(key(token, realm, user))
  }

  /// The devices with a token, and their stores.
  static func devices(
    listeningBy token: String, in transaction: any StorageReading
  ) throws -> [(store: DeviceStore, device: StoredDevice)] {
    try transaction.entries(in: StorageRange(prefix: prefix(of: token))).compactMap { entry in
      let listener = try PushListener(key: entry.key.bytes.span, bytes: entry.value, of: token)
      let store = DeviceStore(realm: listener.realm, user: listener.user)
      guard let device = try store.device(of: listener.client, in: transaction),
        device.token == token
      else {
        return nil
      }
      return (store, device)
    }
  }

  /// The listener of a token for a user; nil if there is none.
  static func listener(
    by token: String, of user: String, in realm: Realm, _ transaction: any StorageReading
  ) throws -> PushListener? {
    let key = key(token, realm, user)
    return try transaction.value(of: key).map {
      try PushListener(key: key.bytes.span, bytes: $0, of: token)
    }
  }
}
