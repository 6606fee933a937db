import BinaryCoding
import CloudRecords
import RecordStorage

/// Where a share is that somebody has the short name of.
struct SharePlace: Hashable, Sendable {
  var zone: RecordZoneIdentifier
  var zoneNumber: UInt64
  var shareName: String
}

/// The short names of a container's shares: they are all that a link holds, so nobody can guess
/// one.
struct ShortNames {
  let realm: Realm

  private func key(_ name: String) -> StorageKey {
    var key = StorageKey(partition: "_short:\(name)", keyspace: Keyspace.shortIdentifier.rawValue)
    key.append(unsigned: realm.number)
    return key
  }

  func store(_ place: SharePlace, under name: String, in transaction: any StorageWriting) throws {
    var form = BinaryWriter(capacity: 128)
    form.byte(1)
    form.text(place.zone.ownerName)
    form.text(place.zone.zoneName)
    form.number(place.zoneNumber)
    form.text(place.shareName)
    try transaction.set(form.bytes, for: key(name))
  }

  func forget(_ name: String, in transaction: any StorageWriting) throws {
    try transaction.remove(key(name))
  }

  func place(of name: String, in transaction: any StorageReading) throws -> SharePlace? {
    guard let bytes = try transaction.value(of: key(name)) else { return nil }
    var form = BinaryReader(bytes)
    guard try form.byte() == 1 else { throw form.damage("an unknown form of short name") }
    let owner = try form.text()
    let zone = RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    return SharePlace(zone: zone, zoneNumber: try form.number(), shareName: try form.text())
  }
}
