import BinaryCoding
import CloudRecords
import RecordStorage

/// A zone with changes that are not stored yet.
///
/// Operations look at the draft and change it; what they need of the storage is brought in as they
/// ask, and kept. When all went well, the draft is stored at once: each change gets the next
/// position, in the order in which the records were first changed.
///
/// It belongs to one transaction, which is one thread's: checks at each access of what it has would
/// be a twentieth of a batch's work.
final class ZoneDraft {
  let keys: ZoneKeys
  @safe @exclusivity(unchecked) private(set) var zone: StoredZone
  private let transaction: any StorageReading
  /// The records that were named, and the place of each name among them.
  @safe @exclusivity(unchecked) private var named: [Named] = []
  @safe @exclusivity(unchecked) private var places: [String: Int] = [:]
  /// The place that was asked for last; -1 at first.
  @safe @exclusivity(unchecked) private var lastPlace = -1
  /// The places of the records that change, in the order in which they were first changed.
  @safe @exclusivity(unchecked) private var order: [Int] = []
  /// The places of records that change, by the name of what they have, or had in this draft, as
  /// their parent or refer to.
  @safe @exclusivity(unchecked) private var dependents: [String: [Int]] = [:]
  /// What records take of their database as a quota has counted them last, where the draft may have
  /// changed that.
  private var counted: [String: Int64] = [:]

  /// A record by its name: what the storage has of it, and what becomes of it.
  private struct Named {
    let name: String
    /// Whether the storage was asked.
    var isLoaded = false
    var stored: Stored?
    var change: Change?

    /// Whether all is in memory that the storage has of it.
    var isWhole: Bool { isLoaded && stored?.outlinedFileBytes == nil }

    /// Lets the storage be asked once more.
    mutating func forget() { (isLoaded, stored) = (false, nil) }
  }

  private struct Stored {
    var position: UInt64
    var entry: StoredEntry
    /// Of the entry, as it is stored.
    var byteCount: Int
    /// What the files come to of a record of which an outline is kept alone; nil where the entry is
    /// as it is stored.
    var outlinedFileBytes: Int64?

    var record: StoredRecord? { if case .record(let record) = entry { record } else { nil } }

    /// The same, with no more of a record than is needed to delete it.
    var outlined: Stored {
      guard case .record(let record) = entry else { return self }
      var outlined = self
      outlined.entry = .record(record.outline)
      outlined.outlinedFileBytes = record.fileBytes
      return outlined
    }

    /// What it counts for, marks of what was deleted as well, until they are thrown away: else
    /// whoever makes and deletes records without end would fill the disk.
    var bytesUsed: Int64 {
      guard case .record(let record) = entry else { return Int64(byteCount) }
      return Int64(byteCount) + (outlinedFileBytes ?? record.fileBytes)
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
    (order, dependents, counted) = ([], [:], [:])
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

  /// The place of a name, where it has one.
  private func knownPlace(of name: String) -> Int? {
    // A batch goes through its records again and again in one order, and asks for each of them more
    // than once.
    if lastPlace >= 0, named[lastPlace].name == name { return lastPlace }
    let next = lastPlace + 1 < named.count ? lastPlace + 1 : 0
    if next < named.count, named[next].name == name { return next }
    return places[name]
  }
}

// MARK: - Looking

extension ZoneDraft {
  /// Brings records in, all by two reads.
  ///
  /// - Parameter take: Is told of the bytes of each, and may refuse to go on.
  func load(_ names: some Sequence<String>, take: (Int) throws -> Void = { _ in }) throws {
    try load(placesOnce(of: names) { !$0.isWhole }, take: take)
  }

  /// Brings in what there is to know of records that are to be deleted: one after the other is
  /// read, and its outline kept.
  func loadOutlines(_ names: some Sequence<String>) throws {
    try load(placesOnce(of: names) { !$0.isLoaded }, asOutlines: true)
  }

  private func placesOnce(of names: some Sequence<String>, where isMissing: (Named) -> Bool)
    -> [Int]
  {
    var missing = names.map(place).filter { isMissing(named[$0]) }
    // Names that were not known before have rising places, and each its own.
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
          what: "the record \(named[place].name) is not at its position", offset: 0)
      }
      try take(value.count)
      let entry = try StoredEntry(bytes: Array(copying: value)).settled(at: position)
      let stored = Stored(position: position, entry: entry, byteCount: value.count)
      named[place].stored = asOutlines ? stored.outlined : stored
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
    if !named[place].isWhole { try load([place]) }
    return named[place].stored?.record
  }

  /// A record as it is in the draft, perhaps without fields and people; nil where there is none.
  func outline(of name: String) throws -> StoredRecord? {
    let place = place(of: name)
    if let change = named[place].change { return change.record }
    if !named[place].isLoaded { try load([place], asOutlines: true) }
    return named[place].stored?.record
  }

  /// A record as it is in the draft; one of which there is an outline is read, and not kept.
  func passing(_ name: String) throws -> StoredRecord? {
    let place = place(of: name)
    guard named[place].change == nil, let stored = named[place].stored else {
      return try record(name)
    }
    return try whole(stored)
  }

  /// What a record is, of which there may be an outline alone.
  private func whole(_ stored: Stored) throws -> StoredRecord? {
    guard stored.outlinedFileBytes != nil else { return stored.record }
    guard let bytes = try transaction.value(of: keys.entry(at: stored.position)) else {
      throw BinaryCodingError(
        what: "the record \(stored.entry.recordName) is not at its position", offset: 0)
    }
    guard case .record(let record) = try StoredEntry(bytes: bytes).settled(at: stored.position)
    else { return nil }
    return record
  }

  /// Where in the zone's feed a record was deleted; nil for one that is there, or that nobody
  /// remembers.
  func deletion(of name: String) throws -> UInt64? {
    let place = place(of: name)
    if !named[place].isLoaded { try load([place]) }
    guard let stored = named[place].stored, case .tombstone = stored.entry else { return nil }
    return stored.position
  }

  /// What is stored of a record, whatever the draft makes of it; nil where nobody remembers one.
  func stored(_ name: String) throws -> StoredEntry? {
    let place = place(of: name)
    if !named[place].isWhole { try load([place]) }
    return named[place].stored?.entry
  }

  /// Counts what a record takes of its database now.
  ///
  /// - Returns: By how much more that is than it was counted for before, in the draft or as it is
  ///   stored.
  func count(_ bytes: Int64, of name: String) throws -> Int64 {
    let place = place(of: name)
    if !named[place].isLoaded { try load([place]) }
    return bytes - (counted.updateValue(bytes, forKey: name) ?? named[place].stored?.bytesUsed ?? 0)
  }

  /// Whether the draft has changes for a record.
  func isChanged(_ name: String) -> Bool {
    knownPlace(of: name).map { named[$0].change != nil } ?? false
  }

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
    return names
      + changed(dependingOn: parent).filter { $0.change?.record?.parentName == parent }.map(\.name)
  }

  /// One of the records of which a record is the parent; nil where there is none.
  func child(of parent: String) throws -> String? {
    let range = keys.children(of: parent)
    var found: String?
    try transaction.visitEntries(in: range) { key, _ in
      let name = try ZoneKeys.texts(1, of: key, after: range)[0]
      if !isChanged(name) { found = name }
      return found == nil ? .goOn : .stop
    }
    return found
      ?? changed(dependingOn: parent).first { $0.change?.record?.parentName == parent }?.name
  }

  /// The records that refer to one with an action, once for each of their fields that does.
  ///
  /// - Parameter most: How many are looked for.
  func sources(referringTo target: String, _ action: RecordReference.Action, most: Int) throws
    -> [String]
  {
    let range = keys.references(to: target)
    var found: [String] = []
    try transaction.visitEntries(in: range) { key, value in
      guard value.count == 1, let known = RecordReference.Action(rawValue: value[0]) else {
        throw BinaryCodingError(what: "an unknown action of a reference", offset: 0)
      }
      guard known == action else { return .goOn }
      let source = try ZoneKeys.texts(2, of: key, after: range)[0]
      if !isChanged(source) { found.append(source) }
      return found.count < most ? .goOn : .stop
    }
    for named in changed(dependingOn: target) {
      for link in named.change?.record?.outgoing ?? []
      where link.target == target && link.action == action && found.count < most {
        found.append(named.name)
      }
    }
    return found
  }

  /// The records of the draft that may have a record as their parent, or refer to it, each once.
  private func changed(dependingOn name: String) -> [Named] {
    guard let places = dependents[name] else { return [] }
    var seen: Set<Int> = []
    return places.filter { seen.insert($0).inserted }.map { named[$0] }
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
    guard let record = change.record else { return }
    if let parent = record.parentName { note(place, dependingOn: parent) }
    guard record.fields.haveLinks else { return }
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
  /// What leads to the entries comes first, while their forms are made. Records of which there are
  /// outlines alone are read once more, each when it goes.
  ///
  /// - Parameter passing: Is told of each of these, and of the bytes that it has.
  /// - Returns: The records that were saved, as they are now.
  @discardableResult
  func store(
    in transaction: any StorageWriting, at time: Timestamp,
    passing: (StoredRecord, Int) -> Void = { _, _ in }
  ) throws -> [StoredRecord] {
    let indexes = try ZoneIndexes(of: zone, keys, in: transaction)
    let successors = try placeChanges(at: time)
    let forms = EntryEncoder(of: successors.map(\.entry))
    for successor in successors {
      let (old, new, name) = (
        try successor.before.flatMap(whole), successor.new, named[successor.place].name
      )
      if let old, let before = successor.before, before.outlinedFileBytes != nil {
        passing(old, before.byteCount)
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

  /// What takes the place of what the storage has of a record.
  private struct Successor {
    /// The place of the record's name.
    let place: Int
    let before: Stored?
    let position: UInt64
    let entry: StoredEntry

    var new: StoredRecord? { if case .record(let record) = entry { record } else { nil } }
  }

  /// Gives each change its position.
  private func placeChanges(at time: Timestamp) throws -> [Successor] {
    var successors: [Successor] = []
    successors.reserveCapacity(order.count)
    for place in order {
      guard let change = named[place].change else { continue }
      if !named[place].isLoaded { try load([place]) }
      let before = named[place].stored
      // What was made and deleted in one draft was never there.
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

  /// What a change leaves at the zone's last position.
  private func entry(
    of change: Change, named name: String, instead old: StoredEntry?, at time: Timestamp
  ) -> StoredEntry {
    guard var record = change.record else {
      return .tombstone(Tombstone(of: old, named: name, at: time))
    }
    if change.isNewVersion { record.tag = zone.lastPosition }
    return .record(record)
  }

  /// Keeps the list of tombstones true, and sees that they are thrown away in time.
  private func storeTombstones(_ successor: Successor, in transaction: any StorageWriting) throws {
    if let before = successor.before, case .tombstone = before.entry {
      try transaction.remove(keys.tombstone(at: before.position))
    }
    guard case .tombstone(let tombstone) = successor.entry else { return }
    var form = BinaryWriter(capacity: 10)
    form.signed(tombstone.deleted.milliseconds)
    try transaction.set(form.bytes, for: keys.tombstone(at: successor.position))
    guard zone.purgeDue == nil else { return }
    // The chore finds out how long it has to wait.
    zone.purgeDue = tombstone.deleted
    try MaintenanceTask(.purgeTombstones, of: keys, due: tombstone.deleted).add(in: transaction)
  }

  /// An entry, where it lies.
  struct Place {
    let position: UInt64
    let entry: StoredEntry
    let byteCount: Int
  }

  /// Where the storage has a record, which the draft does not keep; nil where nobody remembers one.
  func placeStored(_ name: String) throws -> Place? {
    guard let bytes = try transaction.value(of: keys.name(name)) else { return nil }
    var form = BinaryReader(bytes)
    let position = try form.number()
    guard let bytes = try transaction.value(of: keys.entry(at: position)) else {
      throw BinaryCodingError(what: "the record \(name) is not at its position", offset: 0)
    }
    let entry = try StoredEntry(bytes: bytes).settled(at: position)
    return Place(position: position, entry: entry, byteCount: bytes.count)
  }

  /// Stores a record at the zone's end of which only its standing in shares changed, past the
  /// draft, which keeps nothing of it.
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
      try transaction.set(
        [link.action.rawValue], for: keys.reference(to: link.target, from: name, field: link.field))
    }
  }
}

extension Tombstone {
  /// What is left in the place of a record, of an earlier deletion, or of nothing.
  init(of entry: StoredEntry?, named name: String, at time: Timestamp) {
    self.init(
      recordName: name, recordType: entry?.recordType ?? "", deleted: time,
      shares: entry?.seenByShares ?? [],
      end: Self.end(of: entry))
  }

  /// Where there came to be no record; nil for with the tombstone itself.
  private static func end(of entry: StoredEntry?) -> UInt64? {
    switch entry {
    case .record: nil
    case .tombstone(let earlier): earlier.end
    case nil: 0
    }
  }
}
