import BinaryForms
import CloudRecords
import RecordStorage

/// A zone with changes that are not stored yet.
///
/// Operations look at the draft and change it; what they need of the storage is brought in as they ask, and kept. When all went well, the draft is
/// stored at once: each change gets the next position, in the order in which the records were first changed.
final class ZoneDraft {
  let keys: ZoneKeys
  private(set) var zone: StoredZone
  private let transaction: any StorageReading
  /// The records that were named, and the place of each name among them.
  private var named: [Named] = []
  private var places: [String: Int] = [:]
  /// The places of the records that change, in the order in which they were first changed.
  private var order: [Int] = []

  /// A record by its name: what the storage has of it, and what becomes of it.
  private struct Named {
    let name: String
    /// Whether the storage was asked.
    var isLoaded = false
    var stored: Stored?
    var change: Change?
  }

  private struct Stored {
    var position: UInt64
    var entry: StoredEntry
    /// Of the entry, as it is stored.
    var byteCount: Int

    /// What it counts for, marks of what was deleted as well, until they are thrown away: else whoever makes and deletes records without end
    /// would fill the disk.
    var bytesUsed: Int64 {
      guard case .record(let record) = entry else { return Int64(byteCount) }
      return Int64(byteCount) + record.fileBytes
    }
  }

  private struct Change {
    var record: StoredRecord?
    /// The record itself changed, and not only what it has to do with shares.
    var isNewVersion: Bool
    /// The feed tells of a deletion although there was nothing.
    var isMark = false
  }

  init(zone: StoredZone, keys: ZoneKeys, transaction: any StorageReading) {
    self.zone = zone
    self.keys = keys
    self.transaction = transaction
  }

  /// Forgets all changes, and keeps what was read.
  func startOver(with zone: StoredZone) {
    self.zone = zone
    forgetChanges()
  }

  private func forgetChanges() {
    for place in order { named[place].change = nil }
    order = []
  }

  private func place(of name: String) -> Int {
    if let place = places[name] { return place }
    places[name] = named.count
    named.append(Named(name: name))
    return named.count - 1
  }
}

// MARK: - Looking

extension ZoneDraft {
  /// Brings records in, all by two reads.
  func load(_ names: some Sequence<String>) throws {
    let missing = names.map(place).filter { !named[$0].isLoaded }
    if !missing.isEmpty { try load(places: missing) }
  }

  private func load(places: [Int]) throws {
    let positions = try transaction.values(of: places.map { keys.name(named[$0].name) })
    var found: [(place: Int, position: UInt64)] = []
    for (place, bytes) in zip(places, positions) {
      named[place].isLoaded = true
      guard let bytes else { continue }
      var form = FormReader(bytes)
      found.append((place, try form.number()))
    }
    guard !found.isEmpty else { return }
    let entries = try transaction.values(of: found.map { keys.entry(at: $0.position) })
    for (found, bytes) in zip(found, entries) {
      guard let bytes else {
        throw FormDamage(what: "the record \(named[found.place].name) is not at its position", offset: 0)
      }
      named[found.place].stored = Stored(
        position: found.position, entry: try StoredEntry(bytes: bytes), byteCount: bytes.count)
    }
  }

  /// Makes room for so many records.
  func reserve(_ count: Int) {
    named.reserveCapacity(count)
    places.reserveCapacity(count)
    order.reserveCapacity(count)
  }

  /// A record as it is in the draft; nil where there is none.
  func record(_ name: String) throws -> StoredRecord? {
    let place = place(of: name)
    if let change = named[place].change { return change.record }
    if !named[place].isLoaded { try load(places: [place]) }
    guard case .record(let record)? = named[place].stored?.entry else { return nil }
    return record
  }

  /// Where in the zone's feed a record was deleted; nil for one that is there, or that nobody remembers.
  func deletion(of name: String) throws -> UInt64? {
    try load(CollectionOfOne(name))
    guard let stored = named[place(of: name)].stored, case .tombstone = stored.entry else { return nil }
    return stored.position
  }

  /// What is stored of a record, whatever the draft makes of it; nil where nobody remembers one.
  func stored(_ name: String) throws -> StoredEntry? {
    let place = place(of: name)
    if !named[place].isLoaded { try load(places: [place]) }
    return named[place].stored?.entry
  }

  /// What a record takes of its database, as it is stored.
  func bytesUsed(of name: String) throws -> Int64 {
    try load(CollectionOfOne(name))
    return named[place(of: name)].stored?.bytesUsed ?? 0
  }

  /// Whether the draft has changes for a record.
  func isChanged(_ name: String) -> Bool { places[name].map { named[$0].change != nil } ?? false }

  var isEmpty: Bool { order.isEmpty }

  /// The records that the draft changes, in the order in which they were first changed.
  var changedNames: [String] { order.map { named[$0].name } }

  /// The records of which a record is the parent.
  func children(of parent: String) throws -> [String] {
    let range = keys.children(of: parent)
    var names: [String] = []
    try transaction.visitEntries(in: range) { key, _ in
      names.append(try ZoneKeys.texts(1, of: key, after: range)[0])
      return .goOn
    }
    names.removeAll(where: isChanged)
    try load(names)
    return names + order.lazy.map { self.named[$0] }.filter { $0.change?.record?.parentName == parent }.map(\.name)
  }

  /// The references that lead to a record, from the records that hold them.
  func references(to target: String) throws -> [Incoming] {
    let range = keys.references(to: target)
    var found: [Incoming] = []
    try transaction.visitEntries(in: range) { key, value in
      let texts = try ZoneKeys.texts(2, of: key, after: range)
      guard value.count == 1, let action = RecordReference.Action(rawValue: value[0]) else {
        throw FormDamage(what: "an unknown action of a reference", offset: 0)
      }
      found.append(Incoming(source: texts[0], field: texts[1], action: action))
      return .goOn
    }
    found.removeAll { isChanged($0.source) }
    for place in order {
      for link in named[place].change?.record?.outgoing ?? [] where link.target == target {
        found.append(Incoming(source: named[place].name, field: link.field, action: link.action))
      }
    }
    return found
  }

  /// A reference, seen from its target.
  struct Incoming: Hashable {
    var source: String
    var field: String
    var action: RecordReference.Action
  }
}

// MARK: - Changing

extension ZoneDraft {
  /// Puts a new version of a record into the draft.
  func save(_ record: StoredRecord) {
    change(record.recordName, to: Change(record: record, isNewVersion: true))
  }

  /// Puts a record into the draft of which only its standing in shares changed: its tag stays.
  func restamp(_ record: StoredRecord) {
    let isNewVersion = named[place(of: record.recordName)].change?.isNewVersion ?? false
    change(record.recordName, to: Change(record: record, isNewVersion: isNewVersion))
  }

  func delete(_ name: String) {
    change(name, to: Change(record: nil, isNewVersion: true))
  }

  /// Tells in the feed that a record is deleted that is not there.
  func mark(_ name: String) {
    change(name, to: Change(record: nil, isNewVersion: true, isMark: true))
  }

  func changeZone(_ change: (inout StoredZone) -> Void) { change(&zone) }

  private func change(_ name: String, to change: Change) {
    let place = place(of: name)
    if named[place].change == nil { order.append(place) }
    named[place].change = change
  }
}

// MARK: - Storing

extension ZoneDraft {
  /// Stores the draft.
  ///
  /// - Returns: The records that were saved, as they are now.
  @discardableResult
  func store(in transaction: any StorageWriting, at time: Timestamp) throws -> [StoredRecord] {
    var saved: [StoredRecord] = []
    saved.reserveCapacity(order.count)
    let indexes = try ZoneIndexes(of: zone, keys, in: transaction)
    for place in order {
      guard let change = named[place].change else { continue }
      if !named[place].isLoaded { try load(places: [place]) }
      let name = named[place].name
      let before = named[place].stored
      var old: StoredRecord?
      if case .record(let record)? = before?.entry { old = record }
      // What was made and deleted in one draft was never there.
      if change.record == nil, old == nil, !change.isMark { continue }
      zone.lastPosition += 1
      let (entry, new) = entry(of: change, named: name, instead: before?.entry, at: time)
      if let new { saved.append(new) }
      if let before { try transaction.remove(keys.entry(at: before.position)) }
      let bytes = entry.bytes
      let after = Stored(position: zone.lastPosition, entry: entry, byteCount: bytes.count)
      try transaction.set(bytes, for: keys.entry(at: zone.lastPosition))
      try storeTombstones(from: before, to: entry, in: transaction)
      try storePosition(zone.lastPosition, of: name, in: transaction)
      try storeLinks(from: old, to: new, named: name, at: time, in: transaction)
      try indexes.store(from: old, to: new, named: name, in: transaction)
      zone.bytesUsed = max(0, zone.bytesUsed + after.bytesUsed - (before?.bytesUsed ?? 0))
      named[place].stored = after
    }
    forgetChanges()
    return saved
  }

  /// What a change leaves at the zone's last position, and the record where it is one.
  private func entry(
    of change: Change, named name: String, instead old: StoredEntry?, at time: Timestamp
  ) -> (StoredEntry, StoredRecord?) {
    guard var record = change.record else { return (.tombstone(Tombstone(of: old, named: name, at: time)), nil) }
    if change.isNewVersion { record.tag = zone.lastPosition }
    return (.record(record), record)
  }

  /// Keeps the list of tombstones true, and sees that they are thrown away in time.
  private func storeTombstones(
    from before: Stored?, to entry: StoredEntry, in transaction: any StorageWriting
  ) throws {
    if let before, case .tombstone = before.entry { try transaction.remove(keys.tombstone(at: before.position)) }
    guard case .tombstone(let tombstone) = entry else { return }
    var form = FormWriter(capacity: 10)
    form.signed(tombstone.deleted.milliseconds)
    try transaction.set(form.bytes, for: keys.tombstone(at: zone.lastPosition))
    guard zone.purgeDue == nil else { return }
    // The chore finds out how long it has to wait.
    zone.purgeDue = tombstone.deleted
    try Chore(.purgeTombstones, of: keys, due: tombstone.deleted).add(in: transaction)
  }

  private func storePosition(_ position: UInt64, of name: String, in transaction: any StorageWriting) throws {
    var form = FormWriter(capacity: 10)
    form.number(position)
    try transaction.set(form.bytes, for: keys.name(name))
  }

  /// Keeps the index of parents and the index of references true.
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
    for link in before where !after.contains(link) {
      try transaction.remove(keys.reference(to: link.target, from: name, field: link.field))
    }
    for link in after where !before.contains(link) {
      try transaction.set([link.action.rawValue], for: keys.reference(to: link.target, from: name, field: link.field))
    }
  }
}

extension Tombstone {
  /// What is left in the place of a record, of an earlier deletion, or of nothing.
  init(of entry: StoredEntry?, named name: String, at time: Timestamp) {
    self.init(
      recordName: name, recordType: entry?.recordType ?? "", deleted: time, shareNames: entry?.seenByShares ?? [])
  }
}

/// A reference that matters to its target: one that is deleted with it, or forbids its deletion.
struct OutgoingReference: Hashable {
  var target: String
  var field: String
  var action: RecordReference.Action
}

extension StoredRecord {
  /// The references of the record's fields that matter to their targets, the stronger one where a list has both.
  var outgoing: [OutgoingReference] {
    var found: [OutgoingReference] = []
    for entry in fields {
      switch entry.field.value {
      case .reference(let reference): found.append(reference, in: entry.name)
      case .list(of: .reference, let members):
        for case .reference(let reference) in members { found.append(reference, in: entry.name) }
      default: continue
      }
    }
    return found
  }
}

extension [OutgoingReference] {
  fileprivate mutating func append(_ reference: RecordReference, in field: String) {
    guard reference.action != .none else { return }
    if let index = firstIndex(where: { $0.target == reference.recordName && $0.field == field }) {
      if reference.action == .validate { self[index].action = .validate }
    } else {
      append(OutgoingReference(target: reference.recordName, field: field, action: reference.action))
    }
  }
}
