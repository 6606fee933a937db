import RecordStorage

/// What lies beside a zone's records for a share, and goes with it: else it would pile up beside
/// every quota.
struct ShareLeftovers {
  let keys: ZoneKeys

  /// Removes what there is for a share that is deleted: the link that leads to it, and the keys of
  /// its people, which nobody reaches any more.
  ///
  /// Of the keys their generation stays: a share that gets the name again begins behind it, so that
  /// nobody takes its keys for those that they have seen.
  func remove(of share: StoredRecord, in transaction: any StorageWriting) throws {
    try removeLink(of: share, in: transaction)
    let key = keys.keyBag(ofShare: share.recordName)
    guard var bag = try transaction.value(of: key).map({ try StoredKeyBag(bytes: $0) }), !bag.isGone
    else { return }
    bag.data = []
    try transaction.set(bag.bytes, for: key)
  }

  private func removeLink(of share: StoredRecord, in transaction: any StorageWriting) throws {
    guard let name = share.shortIdentifier else { return }
    let names = ShortNames(realm: keys.database.realm)
    guard let place = try names.place(of: name, in: transaction),
      place.shareName == share.recordName,
      place.zoneNumber == keys.number
    else { return }
    try names.forget(name, in: transaction)
  }
}
