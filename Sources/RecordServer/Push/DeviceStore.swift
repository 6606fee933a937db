import BinaryForms
import CloudRecords
import RecordStorage

/// A device that hears of changes for a user.
struct StoredDevice: Hashable, Sendable {
  var token: String
  /// What the client calls itself.
  var client: String
  /// When it made itself known, to the day.
  var seen: Timestamp

  private static let version: UInt8 = 1

  init(token: String, client: String, seen: Timestamp) {
    self.token = token
    self.client = client
    self.seen = seen
  }

  var bytes: [UInt8] {
    var form = FormWriter(capacity: 128)
    form.byte(Self.version)
    form.text(token)
    form.text(client)
    form.signed(seen.milliseconds)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = FormReader(bytes)
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
    try transaction.entries(in: StorageRange(prefix: prefix)).map { try StoredDevice(bytes: $0.value) }
  }

  /// Forgets devices that were not heard of for so long, and looks again when the next may be.
  func forget(silentFor seconds: Int64, at now: Timestamp, in transaction: any StorageWriting) throws {
    var next: Timestamp?
    for device in try all(in: transaction) {
      let due = device.seen.adding(seconds: seconds)
      if due <= now { try transaction.remove(key(device.client)) } else { next = min(next ?? due, due) }
    }
    if let next { try Chore(.forgetDevices, of: user, in: realm, due: next).add(in: transaction) }
  }

  /// Keeps a device; the oldest go where there are more than a user may have.
  func save(_ device: StoredDevice, most: Int, in transaction: any StorageWriting) throws {
    let known = try all(in: transaction)
    // The chore finds out how long it has to wait, and looks after later devices, too.
    if known.isEmpty { try Chore(.forgetDevices, of: user, in: realm, due: device.seen).add(in: transaction) }
    for old in known where old.token == device.token && old.client != device.client {
      try transaction.remove(key(old.client))
    }
    try transaction.set(device.bytes, for: key(device.client))
    let others = try all(in: transaction).filter { $0.client != device.client }.sorted { $0.seen < $1.seen }
    for old in others.dropLast(most - 1) { try transaction.remove(key(old.client)) }
  }
}
