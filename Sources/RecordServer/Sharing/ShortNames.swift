import BinaryCoding
package import CloudRecords
import RecordStorage

/// The location of a share.
struct SharePlace: Hashable, Sendable {
  var zone: RecordZoneIdentifier
  var zoneNumber: UInt64
  var shareName: String
}

extension ShareDetails {
  /// The short identifiers of one-time links.
  var oneTimeNames: [String] { participants.compactMap(\.oneTimeName) }

  /// Invalidates the one-time links that a change removed from the share.
  func forgetLinks(
    notIn changed: ShareDetails?, in realm: Realm, _ transaction: any StorageWriting
  ) throws {
    let kept = Set(changed?.oneTimeNames ?? [])
    for name in oneTimeNames where !kept.contains(name) {
      try ShortNames(realm: realm).forget(name, in: transaction)
    }
  }
}

extension StoredRecord {
  /// All short identifiers that lead to a share: its own, and those of one-time links.
  var shareNames: [String] {
    [shortIdentifier].compactMap(\.self) + (share?.oneTimeNames ?? [])
  }
}

/// The short identifiers of a container's shares.
///
/// They are unguessable, because a link sends nothing else to the server.
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
    guard try form.byte() == 1 else { throw form.error("an unknown form of short name") }
    let owner = try form.text()
    let zone = RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    return SharePlace(zone: zone, zoneNumber: try form.number(), shareName: try form.text())
  }
}

extension RecordServer {
  /// The container of the share that a link leads to; nil if there is none.
  package func container(ofLink name: String) async throws(CloudError) -> ContainerAddress? {
    for (realm, address) in try await realms() {
      let isThere = try await read(nil) { transaction in
        try ShortNames(realm: realm).place(of: name, in: transaction) != nil
      }
      if isThere { return address }
    }
    return nil
  }
}
