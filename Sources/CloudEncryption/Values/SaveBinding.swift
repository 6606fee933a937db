package import CloudRecords

/// Binds the values of one save to each other, and to the version of the record that they change.
///
/// Each value has the save's stamp. One of them, the carrier, also has the stamps of all other
/// fields that the device knew; the others have the carrier's. So a reader detects a value of an
/// earlier save beside one of a later save.
package struct SaveBinding: Sendable {
  private let name: [UInt8]
  private let order: Int64
  /// The stamps of the version that is changed; nil for any version.
  private let base: [String: SealStamp]?
  private let cleared: [String]

  /// - Parameters:
  ///   - name: 16 random bytes.
  ///   - base: The stamps of the version that is changed, as far as the device knows them; empty
  ///     for a new record, nil for a save over any version.
  ///   - cleared: The encrypted fields that the save removes.
  ///   - now: Orders the save after others that the device does not know.
  package init(
    name: [UInt8], over base: [String: SealStamp]?, clearing cleared: [String] = [],
    at now: Timestamp
  ) {
    self.name = name
    self.base = base
    self.cleared = cleared
    let last = base?.values.map(\.order).max() ?? 0
    order = max(last == .max ? .max : last + 1, now.milliseconds, 1)
  }

  /// The stamp of the save's values, which has no order if the save replaces any version.
  package var stamp: SealStamp { SealStamp(name: name, order: base == nil ? 0 : order) }

  /// The stamps that the values of some fields carry.
  func known(for fields: [String]) -> [String: [String: SealStamp]] {
    guard let carrier = fields.min() else { return [:] }
    var all = base ?? [:]
    for field in fields + cleared { all[field] = stamp }
    return Dictionary(
      uniqueKeysWithValues: fields.map {
        ($0, $0 == carrier ? all : [carrier: stamp])
      })
  }
}

/// The stamps of a record's shown values, and what they say about each other.
struct ShownSaves {
  private var shown: [String: SealStamp] = [:]
  private var known: [String: SealStamp] = [:]

  mutating func add(_ value: SealedContent, of field: String) {
    shown[field] = value.stamp
    known.note(value.stamp, of: field)
    for (field, stamp) in value.known { known.note(stamp, of: field) }
  }

  /// The last known saves, if all values can belong to one version of the record.
  func stamps(of place: RecordPlace) throws(EncryptionError) -> [String: SealStamp] {
    for (field, stamp) in shown.sorted(by: { $0.key < $1.key }) {
      guard let last = known[field], !stamp.mayFollow(last) else { continue }
      throw EncryptionError(
        .tampered,
        """
        \(place.name(of: field)) has an earlier value beside later ones of other fields: the \
        server shows values of several versions as one. Fetch the record again, or save it again \
        from a device that has its values.
        """
      )
    }
    return known
  }
}
