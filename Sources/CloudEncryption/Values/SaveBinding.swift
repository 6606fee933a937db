package import CloudRecords

/// Binds the values of one save to each other, and to the version of the record that they change.
///
/// Each value has the save's stamp. One value, the carrier, also lists the stamps of all other
/// fields that the device knew. Each other value lists only the carrier. So a reader detects a
/// value of an earlier save beside one of a later save, and a value that the server leaves out.
package struct SaveBinding: Sendable {
  private let name: [UInt8]
  private let order: Int64
  /// The stamps of the version that is changed; nil for any version.
  private let base: SealStamps?

  /// - Parameters:
  ///   - name: 16 random bytes.
  ///   - base: The stamps of the version that is changed, as far as the device knows them; empty
  ///     for a new record, nil for a save over any version.
  ///   - now: Orders the save after others that the device does not know.
  package init(name: [UInt8], over base: SealStamps?, at now: Timestamp) {
    self.name = name
    self.base = base
    let last = base?.map(\.stamp.order).max() ?? 0
    order = max(last == .max ? .max : last + 1, now.milliseconds, 1)
  }

  /// Makes the names of several saves at once, which is faster.
  package static func names(_ count: Int, _ randomBytes: (Int) -> [UInt8]) -> [[UInt8]] {
    let size = SealStamp.nameByteCount
    let bytes = randomBytes(size * count)
    return (0..<count).map { Array(bytes[($0 * size)..<(($0 + 1) * size)]) }
  }

  /// The stamp of the save's values; its order is 0 if the save replaces any version.
  package var stamp: SealStamp { SealStamp(name: name, order: base == nil ? 0 : order) }

  /// Chooses the carrier among the saved fields, and returns what it and each other value list.
  func known(for fields: [String]) -> (carrier: String?, all: [KnownSave], others: [KnownSave]) {
    guard let carrier = fields.min() else { return (nil, [], []) }
    var all: [KnownSave] = []
    all.reserveCapacity(fields.count + (base?.count ?? 0))
    for field in fields where field != carrier { all.append(KnownSave(field: field, stamp: stamp)) }
    for save in base ?? [:] where !fields.contains(save.field) { all.append(save) }
    all.sort { $0.field < $1.field }
    return (carrier, all, [KnownSave(field: carrier, stamp: stamp)])
  }
}

/// The stamps of a record's values that the server shows, and the saves that these values list.
struct ShownSaves {
  private var shown: [KnownSave] = []
  private var known = SealStamps()
  /// The last recorded known save, since most values name the same one.
  private var last: KnownSave?

  init(capacity: Int) {
    shown.reserveCapacity(capacity)
    known.reserveCapacity(capacity)
  }

  /// Adds the value of a field that was not added before.
  mutating func add(_ value: SealedContent, of field: String) {
    shown.append(KnownSave(field: field, stamp: value.stamp))
    known.record(value.stamp, of: field)
    for save in value.known where save != last {
      known.record(save.stamp, of: save.field)
      last = save
    }
  }

  /// Returns the last known saves if all values can belong to one version of the record, and the
  /// server left out none of that version.
  ///
  /// - Parameter wanted: The fields that the request asked for; nil for all.
  func stamps(
    of place: BoundPlace, wanted: Set<String>?
  ) throws(EncryptionError) -> SealStamps {
    if let field = known.fields(after: shown).min() {
      throw EncryptionError(
        .tampered,
        """
        \(place.name(of: field)) has an earlier value beside later ones of other fields: the \
        server shows values of several versions as one. Fetch the record again, or save it again \
        from a device that has its values.
        """
      )
    }
    guard known.count > shown.count else { return known }
    let fields = Set(shown.map(\.field))
    let missing = known.first {
      !fields.contains($0.field) && wanted?.contains($0.field) != false
    }
    if let field = missing?.field { throw EncryptionError.leftOut(place.name(of: field)) }
    return known
  }
}
