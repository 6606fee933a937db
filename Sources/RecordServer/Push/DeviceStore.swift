import BinaryCoding
import CloudRecords
import RecordStorage

/// A device that hears of changes for a user.
struct StoredDevice: Hashable, Sendable {
  var token: String
  /// What the client calls itself.
  var client: String
  /// When it made itself known, to the day.
  var seen: Timestamp

  /// The device when it shows itself again.
  ///
  /// Once a day is often enough to know that it still comes.
  func seen(at now: Timestamp) -> StoredDevice {
    guard seen.adding(seconds: 86_400) <= now else { return self }
    return StoredDevice(token: token, client: client, seen: now)
  }

  private static let version: UInt8 = 1

  init(token: String, client: String, seen: Timestamp) {
    self.token = token
    self.client = client
    self.seen = seen
  }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 128)
    form.byte(Self.version)
    form.text(token)
    form.text(client)
    form.signed(seen.milliseconds)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of device") }
    token = try form.text()
    client = try form.text()
    seen = Timestamp(milliseconds: try form.signed())
    guard form.isAtEnd else { throw form.damage("bytes behind the end of a device") }
  }
}

/// The devices of one user of a realm.
struct DeviceStore: Hashable, Sendable {
  let realm: Realm
  let user: String

  private var prefix: StorageKey { DatabaseKeys(realm: realm, owner: user).key(.device) }

  private func key(_ client: String) -> StorageKey {
    var key = prefix
    key.append(text: client)
    return key
  }

  func device(of client: String, in transaction: any StorageReading) throws -> StoredDevice? {
    try transaction.value(of: key(client)).map { try StoredDevice(bytes: $0) }
  }

  func all(in transaction: any StorageReading) throws -> [StoredDevice] {
    try transaction.entries(in: StorageRange(prefix: prefix)).map {
      try StoredDevice(bytes: $0.value)
    }
  }

  // MARK: Keeping

  /// Keeps a device; the oldest go where there are more than a user may have.
  ///
  /// - Parameter session: In which the device is made known.
  /// - Returns: The tokens that are good no more.
  func save(
    _ device: StoredDevice, session: String?, most: Int, in transaction: any StorageWriting
  ) throws -> Set<String> {
    let known = try all(in: transaction)
    // The chore finds out how long it has to wait, and looks after later devices, too.
    if known.isEmpty {
      try MaintenanceTask(.forgetDevices, of: user, in: realm, due: device.seen).add(
        in: transaction)
    }
    let others = known.filter { $0.client != device.client && $0.token != device.token }.sorted {
      $0.seen < $1.seen
    }
    let kept = others.suffix(most - 1)
    let gone = known.filter { !kept.contains($0) }
    try remove(gone, in: transaction)
    try note(device, in: transaction)
    try listener(device, session).save(as: device.token, in: transaction)
    return Set(gone.map(\.token)).subtracting([device.token])
  }

  /// Keeps what changed of a device that is there.
  func note(_ device: StoredDevice, in transaction: any StorageWriting) throws {
    try transaction.set(device.bytes, for: key(device.client))
  }

  /// Whether a device is kept as it is, for a session.
  func has(_ device: StoredDevice, session: String?, in transaction: any StorageReading) throws
    -> Bool
  {
    guard try self.device(of: device.client, in: transaction) == device else { return false }
    return try listener(of: device, in: transaction) == listener(device, session)
  }

  private func listener(_ device: StoredDevice, _ session: String?) -> PushListener {
    PushListener(realm: realm, user: user, client: device.client, session: session)
  }

  private func listener(of device: StoredDevice, in transaction: any StorageReading) throws
    -> PushListener?
  {
    try PushListener.listener(by: device.token, of: user, in: realm, transaction)
  }

  // MARK: Forgetting

  /// Forgets devices that were not heard of for so long, and looks again when the next may be.
  func forget(
    silentFor seconds: Int64, at now: Timestamp, in transaction: any StorageWriting
  ) throws -> ListeningChange {
    let known = try all(in: transaction)
    let silent = known.filter { $0.seen.adding(seconds: seconds) <= now }
    let next = known.filter { !silent.contains($0) }.map { $0.seen.adding(seconds: seconds) }.min()
    if let next {
      try MaintenanceTask(.forgetDevices, of: user, in: realm, due: next).add(in: transaction)
    }
    return try forget(silent, in: transaction)
  }

  /// Forgets the devices that were made known in a session which ends.
  ///
  /// Of those that were there before sessions were noted, nobody knows whether they belong to it,
  /// so that they go, too.
  func forget(session: String, in transaction: any StorageWriting) throws -> ListeningChange {
    try forget(
      try all(in: transaction).filter { device in
        guard let listener = try listener(of: device, in: transaction) else { return true }
        return listener.session == session
      }, in: transaction)
  }

  /// Forgets all devices.
  func forgetAll(in transaction: any StorageWriting) throws -> ListeningChange {
    try forget(try all(in: transaction), in: transaction)
  }

  private func forget(_ devices: [StoredDevice], in transaction: any StorageWriting) throws
    -> ListeningChange
  {
    try remove(devices, in: transaction)
    return .devices(realm, user: user, gone: Set(devices.map(\.token)))
  }

  private func remove(_ devices: [StoredDevice], in transaction: any StorageWriting) throws {
    for device in devices {
      try transaction.remove(key(device.client))
      try PushListener.remove(device.token, of: user, in: realm, transaction)
    }
  }
}
