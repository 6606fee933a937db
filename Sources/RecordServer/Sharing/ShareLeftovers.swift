import RecordStorage

/// Data of a share outside the zone's records.
///
/// The data is removed with the share: it does not count towards a quota, and would otherwise
/// accumulate.
struct ShareLeftovers {
  let keys: ZoneKeys

  /// Removes a deleted share's links and key bags.
  ///
  /// The generation of the share's keys stays. A later share with the same name continues after
  /// that generation, so that clients do not mistake its keys for the former ones.
  func remove(of share: StoredRecord, in transaction: any StorageWriting) throws {
    try removeLinks(of: share, in: transaction)
    let key = keys.keyBag(ofShare: share.recordName)
    guard var bag = try transaction.value(of: key).map({ try StoredKeyBag(bytes: $0) }), !bag.isGone
    else { return }
    bag.data = []
    try transaction.set(bag.bytes, for: key)
  }

  private func removeLinks(of share: StoredRecord, in transaction: any StorageWriting) throws {
    let names = ShortNames(realm: keys.database.realm)
    for name in share.shareNames {
      guard let place = try names.place(of: name, in: transaction),
        place.shareName == share.recordName,
        place.zoneNumber == keys.number
      else { continue }
      try names.forget(name, in: transaction)
    }
  }
}
