import BinaryCoding
import CloudRecords
import RecordStorage

/// A device that receives a user's notifications.
struct StoredDevice: Hashable, Sendable {
  var token: String
  /// The client's own identifier.
  var client: String
  /// The time of its last activity, to within a day.
  var seen: Timestamp

  /// The device after it was active.
  ///
  /// The time is updated at most once a day.
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
    guard try form.byte() == Self.version else { throw form.error("an unknown form of device") }
    token = try form.text()
    client = try form.text()
    seen = Timestamp(milliseconds: try form.signed())
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a device") }
  }
}

/// The stored devices of a user in a realm.
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

  // MARK: Saving

  /// Saves a device, and removes the user's oldest devices if there are more than `most`.
  ///
  /// - Parameter session: The session in which the device registers.
  /// - Returns: The tokens that became invalid.
  func save(
    _ device: StoredDevice, session: String?, most: Int, in transaction: any StorageWriting
  ) throws -> Set<String> {
    let known = try all(in: transaction)
    // One task per user is enough: it computes its next due time, and handles later devices too.
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
    try set(device, in: transaction)
    try listener(device, session).save(as: device.token, in: transaction)
    return Set(gone.map(\.token)).subtracting([device.token])
  }

  /// Writes the values of a device.
  func set(_ device: StoredDevice, in transaction: any StorageWriting) throws {
    try transaction.set(device.bytes, for: key(device.client))
  }

  /// Whether a device is already stored with these values and session.
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

  // MARK: Removing

  /// Removes devices that were inactive for the given time, and schedules the next check.
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

  /// Removes the devices that registered in a session that ends.
  ///
  /// A device without a stored listener is removed too: it may belong to the session.
  func forget(session: String, in transaction: any StorageWriting) throws -> ListeningChange {
    try forget(
      try all(in: transaction).filter { device in
        guard let listener = try listener(of: device, in: transaction) else { return true }
        return listener.session == session
      }, in: transaction)
  }

  /// Removes all devices.
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
