import BinaryCoding
import CloudRecords
import RecordStorage

/// A zone with changes that are not stored yet.
///
/// Operations read and change the draft, which loads and caches records from the storage. When
/// everything succeeded, the draft is stored at once: each change gets the next position, in the
/// order in which the records were first changed.
///
/// A draft belongs to one transaction on one thread, so exclusivity checks are disabled: they would
/// cost five percent of a batch's time.
final class ZoneDraft {
  let keys: ZoneKeys
  @safe @exclusivity(unchecked) private(set) var zone: StoredZone
  private let transaction: any StorageReading
  /// Whether the zone was shared when the draft was created.
  private let wasShared: Bool
  /// The accessed records; a record's index is its slot.
  @safe @exclusivity(unchecked) private var named: [Named] = []
  @safe @exclusivity(unchecked) private var places: [String: Int] = [:]
  /// The slot that was last accessed; -1 at first.
  @safe @exclusivity(unchecked) private var lastPlace = -1
  /// The slots of changed records, in the order of their first change.
  @safe @exclusivity(unchecked) private var order: [Int] = []
  /// The slots of changed records, by the names of their parents and reference targets.
  ///
  /// The names include those of earlier versions in the draft.
  @safe @exclusivity(unchecked) private var dependents: [String: [Int]] = [:]
  /// Whether stored records have another parent or share than before, so that the stored covering
  /// shares of their descendants may be outdated.
  @safe @exclusivity(unchecked) private(set) var movesTrees = false
  /// The sizes of records that the draft may have changed, as last counted for a quota.
  private var counted: [String: Int64] = [:]

  /// A record by name: its stored entry and its change.
  private struct Named {
    let name: String
    /// Whether the storage was read; if so, `stored` is nil only if there is no entry.
    var isLoaded = false
    var stored: Stored?
    var change: Change?

    /// Whether the complete stored record is in memory.
    var isWhole: Bool { isLoaded && stored?.outlinedFileBytes == nil }

    /// Whether a version of the record may give its stored descendants another covering share.
    ///
    /// A new record has no stored descendants.
    func movesTree(as version: StoredRecord) -> Bool {
      guard isLoaded else { return true }
      guard let stored else { return false }
      guard let before = stored.record else { return true }
      return before.parentName != version.parentName || before.shareName != version.shareName
    }

    /// Discards the stored entry, so that it is read again.
    mutating func forget() { (isLoaded, stored) = (false, nil) }
  }

  private struct Stored {
    var position: UInt64
    var entry: StoredEntry
    /// The encoded size of the entry.
    var byteCount: Int
    /// The size of the files of a record that is only kept as an outline; nil if the entry is
    /// complete.
    var outlinedFileBytes: Int64?

    var record: StoredRecord? { if case .record(let record) = entry { record } else { nil } }

    /// A copy with only what is needed to delete the record.
    var outlined: Stored {
      guard case .record(let record) = entry else { return self }
      var outlined = self
      outlined.entry = .record(record.outline)
      outlined.outlinedFileBytes = record.fileBytes
      return outlined
    }

    /// The size that counts towards the quota.
    ///
    /// Tombstones count until they are purged, since creating and deleting records could otherwise
    /// fill the disk.
    var bytesUsed: Int64 {
      guard case .record(let record) = entry else { return Int64(byteCount) }
      return Int64(byteCount) + (outlinedFileBytes ?? record.fileBytes)
    }
  }

  private struct Change {
    var record: StoredRecord?
    /// Whether the record itself changed, and not only its covering share.
    var isNewVersion: Bool
    /// Whether the feed reports a deletion of a record that did not exist.
    var isMark = false
  }

  init(zone: StoredZone, keys: ZoneKeys, transaction: any StorageReading) {
    self.zone = zone
    self.keys = keys
    self.transaction = transaction
    wasShared = zone.isShared
  }

  /// Discards all changes, and keeps the loaded records.
  func startOver(with zone: StoredZone) {
    self.zone = zone
    forgetChanges()
  }

  private func forgetChanges() {
    for place in order { named[place].change = nil }
    (order, dependents, counted) = ([], [:], [:])
    movesTrees = false
  }

  private func place(of name: String) -> Int {
    if let known = knownPlace(of: name) {
      lastPlace = known
    } else {
      lastPlace = named.count
      places[name] = lastPlace
      named.append(Named(name: name))
    }
    return lastPlace
  }

  /// The slot of a name, if it has one.
  private func knownPlace(of name: String) -> Int? {
    // A batch accesses its records several times in the same order.
    if lastPlace >= 0, named[lastPlace].name == name { return lastPlace }
    let next = lastPlace + 1 < named.count ? lastPlace + 1 : 0
    if next < named.count, named[next].name == name { return next }
    return places[name]
  }
}

// MARK: - Reading

extension ZoneDraft {
  /// Loads records with two reads.
  ///
  /// - Parameter take: Receives the size of each, and may throw to stop.
  func load(_ names: some Sequence<String>, take: (Int) throws -> Void = { _ in }) throws {
    try load(placesOnce(of: names) { !$0.isWhole }, take: take)
  }

  /// Loads outlines of records that will be deleted.
  ///
  /// Only one complete record is decoded at a time.
  func loadOutlines(_ names: some Sequence<String>) throws {
    try load(placesOnce(of: names) { !$0.isLoaded }, asOutlines: true)
  }

  private func placesOnce(of names: some Sequence<String>, where isMissing: (Named) -> Bool)
    -> [Int]
  {
    var missing = names.map(place).filter { isMissing(named[$0]) }
    // New names have ascending, distinct slots.
    if zip(missing, missing.dropFirst()).contains(where: { $0 >= $1 }) {
      var seen: Set<Int> = []
      missing.removeAll { !seen.insert($0).inserted }
    }
    return missing
  }

  private func load(
    _ places: [Int], asOutlines: Bool = false, take: (Int) throws -> Void = { _ in }
  ) throws {
    guard !places.isEmpty else { return }
    let positions = try transaction.values(of: places.map { keys.name(named[$0].name) })
    var found: [(place: Int, position: UInt64)] = []
    for (place, bytes) in zip(places, positions) {
      named[place].isLoaded = true
      guard let bytes else { continue }
      var form = BinaryReader(bytes)
      found.append((place, try form.number()))
    }
    guard !found.isEmpty else { return }
    try transaction.visitValues(of: found.map { keys.entry(at: $0.position) }) { index, value in
      let (place, position) = found[index]
      guard let value else {
        throw BinaryCodingError(
          reason: "the record \(named[place].name) is not at its position", offset: 0)
      }
      try take(value.count)
      let entry = try StoredEntry(bytes: Array(copying: value)).settled(at: position)
      let stored = Stored(position: position, entry: entry, byteCount: value.count)
      named[place].stored = asOutlines ? stored.outlined : stored
    }
  }

  /// Reserves capacity for a number of records.
  func reserve(_ count: Int) {
    named.reserveCapacity(count)
    places.reserveCapacity(count)
    order.reserveCapacity(count)
  }

  /// A record in the draft; nil if there is none.
  func record(_ name: String) throws -> StoredRecord? {
    let place = place(of: name)
    if let change = named[place].change { return change.record }
    if !named[place].isWhole { try load([place]) }
    return named[place].stored?.record
  }

  /// A record in the draft, possibly without fields and participants; nil if there is none.
  func outline(of name: String) throws -> StoredRecord? {
    let place = place(of: name)
    if let change = named[place].change { return change.record }
    if !named[place].isLoaded { try load([place], asOutlines: true) }
    return named[place].stored?.record
  }

  /// A complete record in the draft.
  ///
  /// If only an outline is cached, the complete record is read, but not cached.
  func uncached(_ name: String) throws -> StoredRecord? {
    let place = place(of: name)
    guard named[place].change == nil, let stored = named[place].stored else {
      return try record(name)
    }
    return try whole(stored)
  }

  /// The complete record of an entry, which may be an outline.
  private func whole(_ stored: Stored) throws -> StoredRecord? {
    guard stored.outlinedFileBytes != nil else { return stored.record }
    guard let bytes = try transaction.value(of: keys.entry(at: stored.position)) else {
      throw BinaryCodingError(
        reason: "the record \(stored.entry.recordName) is not at its position", offset: 0)
    }
    guard case .record(let record) = try StoredEntry(bytes: bytes).settled(at: stored.position)
    else { return nil }
    return record
  }

  /// The position of a record's stored tombstone in the feed; nil if there is none.
  func deletion(of name: String) throws -> UInt64? {
    let place = place(of: name)
    if !named[place].isLoaded { try load([place]) }
    guard let stored = named[place].stored, case .tombstone = stored.entry else { return nil }
    return stored.position
  }

  /// The stored entry of a record, regardless of the draft; nil if there is none.
  func stored(_ name: String) throws -> StoredEntry? {
    let place = place(of: name)
    if !named[place].isWhole { try load([place]) }
    return named[place].stored?.entry
  }

  /// Records the current size of a record for the quota.
  ///
  /// - Returns: The difference to its previously counted or stored size.
  func count(_ bytes: Int64, of name: String) throws -> Int64 {
    let place = place(of: name)
    if !named[place].isLoaded { try load([place]) }
    return bytes - (counted.updateValue(bytes, forKey: name) ?? named[place].stored?.bytesUsed ?? 0)
  }

  /// Whether the draft changes a record.
  func isChanged(_ name: String) -> Bool {
    knownPlace(of: name).map { named[$0].change != nil } ?? false
  }

  var isEmpty: Bool { order.isEmpty }

  /// The names of changed records, in the order of their first change.
  var changedNames: [String] { order.map { named[$0].name } }

  /// Loads a record's children, and returns their names.
  func children(of parent: String) throws -> [String] {
    let range = keys.children(of: parent)
    var names: [String] = []
    try transaction.visitEntries(in: range) { key, _ in
      names.append(try ZoneKeys.texts(1, of: key, after: range)[0])
      return .proceed
    }
    names.removeAll(where: isChanged)
    try load(names)
    return names
      + changed(dependingOn: parent).filter { $0.change?.record?.parentName == parent }.map(\.name)
  }

  /// One of a record's children; nil if there is none.
  func child(of parent: String) throws -> String? {
    let range = keys.children(of: parent)
    var found: String?
    try transaction.visitEntries(in: range) { key, _ in
      let name = try ZoneKeys.texts(1, of: key, after: range)[0]
      if !isChanged(name) { found = name }
      return found == nil ? .proceed : .stop
    }
    return found
      ?? changed(dependingOn: parent).first { $0.change?.record?.parentName == parent }?.name
  }

  /// The records that reference a record with an action, once per referencing field.
  ///
  /// - Parameter most: The maximum number of results.
  func sources(referringTo target: String, _ action: RecordReference.Action, most: Int) throws
    -> [String]
  {
    let range = keys.references(to: target)
    var found: [String] = []
    try transaction.visitEntries(in: range) { key, value in
      guard value.count == 1, let known = RecordReference.Action(rawValue: value[0]) else {
        throw BinaryCodingError(reason: "an unknown action of a reference", offset: 0)
      }
      guard known == action else { return .proceed }
      let source = try ZoneKeys.texts(2, of: key, after: range)[0]
      if !isChanged(source) { found.append(source) }
      return found.count < most ? .proceed : .stop
    }
    for named in changed(dependingOn: target) {
      for link in named.change?.record?.outgoing ?? []
      where link.target == target && link.action == action && found.count < most {
        found.append(named.name)
      }
    }
    return found
  }

  /// The names of the changed records that may have a record as their parent or reference it.
  func changedNames(dependingOn name: String) -> [String] {
    changed(dependingOn: name).map(\.name)
  }

  /// The changed records that may have a record as their parent or reference it, each once.
  private func changed(dependingOn name: String) -> [Named] {
    guard let places = dependents[name] else { return [] }
    var seen: Set<Int> = []
    return places.filter { seen.insert($0).inserted }.map { named[$0] }
  }
}

// MARK: - Changing

extension ZoneDraft {
  /// Adds a new version of a record to the draft.
  func save(_ record: StoredRecord) {
    change(record.recordName, to: Change(record: record, isNewVersion: true))
  }

  /// Adds a record of which only the covering shares changed.
  ///
  /// It keeps its tag.
  func restamp(_ record: StoredRecord) {
    let isNewVersion = named[place(of: record.recordName)].change?.isNewVersion ?? false
    change(record.recordName, to: Change(record: record, isNewVersion: isNewVersion))
  }

  func delete(_ name: String) {
    change(name, to: Change(record: nil, isNewVersion: true))
  }

  /// Makes the feed report a deletion of a record that does not exist.
  func mark(_ name: String) {
    change(name, to: Change(record: nil, isNewVersion: true, isMark: true))
  }

  /// Stores the zone, after its records.
  func storeZone(in transaction: any StorageWriting) throws {
    if wasShared || zone.isShared {
      try SharedChanges(database: keys.database).recordChange(of: zone, in: transaction)
    }
    try ZoneDirectory(database: keys.database).save(zone, in: transaction)
  }

  func changeZone(_ change: (inout StoredZone) -> Void) { change(&zone) }

  private func change(_ name: String, to change: Change) {
    let place = place(of: name)
    if named[place].change == nil { order.append(place) }
    named[place].change = change
    guard let record = change.record else { return }
    if !movesTrees { movesTrees = named[place].movesTree(as: record) }
    if let parent = record.parentName { note(place, dependingOn: parent) }
    guard record.fields.containsLinks else { return }
    for link in record.outgoing { note(place, dependingOn: link.target) }
  }

  private func note(_ place: Int, dependingOn name: String) {
    if dependents[name]?.last != place { dependents[name, default: []].append(place) }
  }
}

// MARK: - Storing

extension ZoneDraft {
  /// Stores the draft.
  ///
  /// Keys and indexes are stored first, while the entries are encoded. Records with only an outline
  /// are read again when they are deleted.
  ///
  /// - Parameter visitDeleted: Receives each record that was read again, with its size.
  /// - Returns: The saved records.
  @discardableResult
  func store(
    in transaction: any StorageWriting, at time: Timestamp,
    visitDeleted: (StoredRecord, Int) -> Void = { _, _ in }
  ) throws -> [StoredRecord] {
    let indexes = try ZoneIndexes(of: zone, keys, in: transaction)
    let successors = try placeChanges(at: time)
    let forms = EntryEncoder(of: successors.map(\.entry))
    for successor in successors {
      let (old, new, name) = (
        try successor.before.flatMap(whole), successor.new, named[successor.place].name
      )
      if let old, let before = successor.before, before.outlinedFileBytes != nil {
        visitDeleted(old, before.byteCount)
      }
      try storeTombstones(successor, in: transaction)
      try storePosition(successor.position, of: name, in: transaction)
      try storeLinks(from: old, to: new, named: name, at: time, in: transaction)
      try indexes.store(from: old, to: new, named: name, in: transaction)
      if let old, old.share != nil, new == nil {
        try ShareLeftovers(keys: keys).remove(of: old, in: transaction)
      }
    }
    for (index, successor) in successors.enumerated() {
      try storeEntry(successor, form: forms.form(at: index), in: transaction)
    }
    forgetChanges()
    return successors.compactMap(\.new)
  }

  /// The entry that replaces the stored one of a record.
  private struct Successor {
    /// The slot of the record.
    let place: Int
    let before: Stored?
    let position: UInt64
    let entry: StoredEntry

    var new: StoredRecord? { if case .record(let record) = entry { record } else { nil } }
  }

  /// Assigns a position to each change.
  private func placeChanges(at time: Timestamp) throws -> [Successor] {
    var successors: [Successor] = []
    successors.reserveCapacity(order.count)
    for place in order {
      guard let change = named[place].change else { continue }
      if !named[place].isLoaded { try load([place]) }
      let before = named[place].stored
      // A record that was created and deleted in one draft leaves nothing.
      if change.record == nil, before?.record == nil, !change.isMark { continue }
      zone.lastPosition += 1
      let entry = entry(of: change, named: named[place].name, instead: before?.entry, at: time)
      successors.append(
        Successor(place: place, before: before, position: zone.lastPosition, entry: entry))
    }
    return successors
  }

  private func storeEntry(_ successor: Successor, form: [UInt8], in transaction: any StorageWriting)
    throws
  {
    let before = successor.before
    if let before { try transaction.remove(keys.entry(at: before.position)) }
    try transaction.set(form, for: keys.entry(at: successor.position))
    let entry = successor.entry.settled(at: successor.position)
    let after = Stored(position: successor.position, entry: entry, byteCount: form.count)
    zone.bytesUsed = max(0, zone.bytesUsed + after.bytesUsed - (before?.bytesUsed ?? 0))
    named[successor.place].stored = after
  }

  /// The entry for a change at the zone's last position.
  private func entry(
    of change: Change, named name: String, instead old: StoredEntry?, at time: Timestamp
  ) -> StoredEntry {
    guard var record = change.record else {
      return .tombstone(Tombstone(of: old, named: name, at: time))
    }
    if change.isNewVersion { record.tag = zone.lastPosition }
    return .record(record)
  }

  /// Updates the list of tombstones, and schedules their purge.
  private func storeTombstones(_ successor: Successor, in transaction: any StorageWriting) throws {
    if let before = successor.before, case .tombstone = before.entry {
      try transaction.remove(keys.tombstone(at: before.position))
    }
    guard case .tombstone(let tombstone) = successor.entry else { return }
    var form = BinaryWriter(capacity: 10)
    form.signed(tombstone.deleted.milliseconds)
    try transaction.set(form.bytes, for: keys.tombstone(at: successor.position))
    guard zone.purgeDue == nil else { return }
    // The maintenance task computes its next due time.
    zone.purgeDue = tombstone.deleted
    try MaintenanceTask(.purgeTombstones, of: keys, due: tombstone.deleted).add(in: transaction)
  }

  /// An entry with its position.
  struct Place {
    let position: UInt64
    let entry: StoredEntry
    let byteCount: Int
  }

  /// Reads a record's stored entry without caching it; nil if there is none.
  func placeStored(_ name: String) throws -> Place? {
    guard let bytes = try transaction.value(of: keys.name(name)) else { return nil }
    var form = BinaryReader(bytes)
    let position = try form.number()
    guard let bytes = try transaction.value(of: keys.entry(at: position)) else {
      throw BinaryCodingError(reason: "the record \(name) is not at its position", offset: 0)
    }
    let entry = try StoredEntry(bytes: bytes).settled(at: position)
    return Place(position: position, entry: entry, byteCount: bytes.count)
  }

  /// Moves a record with changed covering shares to the zone's end, bypassing the draft.
  func move(
    _ record: StoredRecord, from old: Place, _ indexes: ZoneIndexes,
    in transaction: any StorageWriting
  ) throws {
    let form = StoredEntry.record(record).bytes
    zone.lastPosition += 1
    try transaction.remove(keys.entry(at: old.position))
    try transaction.set(form, for: keys.entry(at: zone.lastPosition))
    try storePosition(zone.lastPosition, of: record.recordName, in: transaction)
    try indexes.store(from: record, to: record, named: record.recordName, in: transaction)
    zone.bytesUsed = max(0, zone.bytesUsed + Int64(form.count - old.byteCount))
    if let place = places[record.recordName] { named[place].forget() }
  }

  private func storePosition(
    _ position: UInt64, of name: String, in transaction: any StorageWriting
  ) throws {
    var form = BinaryWriter(capacity: 10)
    form.number(position)
    try transaction.set(form.bytes, for: keys.name(name))
  }

  /// Updates the indexes of parents and references.
  private func storeLinks(
    from old: StoredRecord?, to new: StoredRecord?, named name: String, at time: Timestamp,
    in transaction: any StorageWriting
  ) throws {
    if old?.parentName != new?.parentName {
      if let parent = old?.parentName { try transaction.remove(keys.child(name, of: parent)) }
      if let parent = new?.parentName { try transaction.set([], for: keys.child(name, of: parent)) }
    }
    try AssetLinks(keys: keys).store(from: old, to: new, named: name, at: time, in: transaction)
    let (before, after) = (old?.outgoing ?? [], new?.outgoing ?? [])
    guard before != after else { return }
    let (former, current) = (Set(before), Set(after))
    for link in before where !current.contains(link) {
      try transaction.remove(keys.reference(to: link.target, from: name, field: link.field))
    }
    for link in after where !former.contains(link) {
      try transaction.set(
        [link.action.rawValue], for: keys.reference(to: link.target, from: name, field: link.field))
    }
  }
}

extension Tombstone {
  /// Creates the tombstone that replaces a record, an earlier tombstone, or no entry.
  init(of entry: StoredEntry?, named name: String, at time: Timestamp) {
    self.init(
      recordName: name, recordType: entry?.recordType ?? "", deleted: time,
      shares: entry?.seenByShares ?? [],
      end: Self.end(of: entry))
  }

  /// The position since which the record does not exist; nil for the tombstone's own position.
  ///
  /// The result is zero if there was no entry, so that the record is not known to have existed.
  private static func end(of entry: StoredEntry?) -> UInt64? {
    switch entry {
    case .record: nil
    case .tombstone(let earlier): earlier.end
    case nil: 0
    }
  }
}
