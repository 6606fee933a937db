import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// The deferred items, in an open transaction.
///
/// | column | content |
/// |---|---|
/// | `kind` | `DeferredItem.Kind` |
/// | `entity`, `key` | the object of a property; 0 for a record |
/// | `property` | its bit; for a pair the number of the relationship |
/// | `zone`, `record` | the record that waits; an empty name for a property |
/// | `dependency` | the name of the record that it waits for; empty for none |
/// | `reason`, `payload` | further data of the kind |
struct DeferredTable {
  private let names: LedgerNames
  private let connection: Connection

  init(_ names: LedgerNames, _ connection: Connection) {
    (self.names, self.connection) = (names, connection)
  }

  // MARK: Statements

  static let any = "SELECT 1 FROM PHM_DEFERRED LIMIT 1"
  private static let selection =
    "SELECT kind, entity, key, zone, record, property, dependency, reason, payload "
    + "FROM PHM_DEFERRED WHERE "
  private static let insertion =
    "INSERT OR REPLACE INTO PHM_DEFERRED(kind, entity, key, zone, record, property, dependency, "
    + "reason, payload) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"

  private static func list(_ kinds: [DeferredItem.Kind]) -> String {
    kinds.map { String($0.rawValue) }.joined(separator: ", ")
  }

  private static func dependents(_ kinds: [DeferredItem.Kind]) -> String {
    selection + "zone = ?1 AND dependency = ?2 AND dependency <> '' AND kind IN (\(list(kinds)))"
  }

  /// Finds the dependents in any zone.
  private static func dependentsAnywhere(_ kinds: [DeferredItem.Kind]) -> String {
    selection + "dependency = ?2 AND ?1 = ?1 AND dependency <> '' AND kind IN (\(list(kinds)))"
  }

  private static func ofObject(_ kinds: [DeferredItem.Kind]) -> String {
    selection + "kind IN (\(list(kinds))) AND entity = ?1 AND key = ?2"
  }

  private static func ofRecord(_ kinds: [DeferredItem.Kind]) -> String {
    selection + "kind IN (\(list(kinds))) AND entity = 0 AND key = 0 AND zone = ?1 AND record = ?2"
  }

  private static let ofKind =
    selection + "kind = ?1 AND (entity, key, zone, record, property, dependency) > "
    + "(?2, ?3, ?4, ?5, ?6, ?7) ORDER BY entity, key, zone, record, property, dependency LIMIT ?8"

  private static func removal(_ kinds: [DeferredItem.Kind], _ condition: String) -> String {
    "DELETE FROM PHM_DEFERRED WHERE kind IN (\(list(kinds))) AND entity = ?1 AND key = ?2"
      + condition
  }

  static let removingObject = removal(DeferredItem.Kind.ofProperties, "")
  /// Removes the items that a save settles by setting the property, because the new value is sent.
  static let removingProperty = removal(
    [.reference, .contested, .value], " AND property = ?3")

  /// Counts a pair once, though it has a row for each end.
  static let referenceCount =
    "SELECT count(*) FROM (SELECT DISTINCT kind, entity, key, zone, record, property "
    + "FROM PHM_DEFERRED WHERE kind IN (1, 2, 3))"

  /// The statements that must not scan a table.
  static let all = [
    dependents(DeferredItem.Kind.references), dependents([.pair]),
    dependentsAnywhere(DeferredItem.Kind.references),
    ofObject(DeferredItem.Kind.references + [.order]), ofObject([.value]),
    ofRecord(DeferredItem.Kind.ofRecords), ofKind, removingObject,
    removingProperty, removal([.pair], " AND zone = ?3 AND record = ?4"),
  ]

  // MARK: Reading

  var isEmpty: Bool { get throws { try connection.number(Self.any) == nil } }

  /// Whether there is an item of the kinds.
  func has(_ kinds: [DeferredItem.Kind]) throws -> Bool {
    try connection.number(
      "SELECT 1 FROM PHM_DEFERRED WHERE kind IN (\(Self.list(kinds))) LIMIT 1") != nil
  }

  /// Returns the items that wait for records.
  ///
  /// - Parameter isAnywhere: Whether to include items that expect the records in other zones.
  func items(
    _ kinds: [DeferredItem.Kind], dependingOn records: some Sequence<RecordIdentifier>,
    anywhere isAnywhere: Bool = false
  ) throws -> [DeferredItem] {
    try items(isAnywhere ? Self.dependentsAnywhere(kinds) : Self.dependents(kinds), records)
  }

  /// Returns the items of records.
  func items(_ kinds: [DeferredItem.Kind], ofRecords records: some Sequence<RecordIdentifier>)
    throws -> [DeferredItem]
  {
    try items(Self.ofRecord(kinds), records)
  }

  /// Returns the items that a statement finds for each record, by its zone and name.
  private func items(_ query: String, _ records: some Sequence<RecordIdentifier>) throws
    -> [DeferredItem]
  {
    guard try !isEmpty else { return [] }
    var numbers = ZoneNumbers(connection)
    let zones = ZoneIdentifiers(connection)
    var found: [DeferredItem] = []
    var statement = try connection.prepare(query)
    for record in records {
      guard let zone = try numbers.present(record.zone) else { continue }
      try statement.bind(zone, RecordName(record.recordName))
      while try statement.step() { found += try [item(statement.row, zones)].compactMap(\.self) }
    }
    return found.sorted()
  }

  /// Returns the items of properties of objects.
  func items(_ kinds: [DeferredItem.Kind], of objects: some Sequence<RowKey>) throws
    -> [DeferredItem]
  {
    guard try !isEmpty else { return [] }
    let zones = ZoneIdentifiers(connection)
    var found: [DeferredItem] = []
    var statement = try connection.prepare(Self.ofObject(kinds))
    for object in objects {
      guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
      try statement.bind(entity, object.key)
      while try statement.step() { found += try [item(statement.row, zones)].compactMap(\.self) }
    }
    return found.sorted()
  }

  /// Returns items of a kind, in the order of the table, after one of them.
  func items(_ kind: DeferredItem.Kind, after last: DeferredItem?, limit: Int) throws
    -> [DeferredItem]
  {
    guard try !isEmpty else { return [] }
    var numbers = ZoneNumbers(connection)
    let zones = ZoneIdentifiers(connection)
    var statement = try connection.prepare(Self.ofKind)
    try statement.bind(kind.rawValue, at: 1)
    if let last, let row = try row(of: last, &numbers) {
      try bind(row, to: &statement, from: 2)
    } else {
      for place in [2, 3, 4, 5, 6, 7] { try statement.bind(Int64.min, at: place) }
    }
    try statement.bind(limit, at: 8)
    var found: [DeferredItem] = []
    while try statement.step() { found += try [item(statement.row, zones)].compactMap(\.self) }
    return found
  }

  // MARK: Writing

  /// Adds items; a reference replaces the one of the same property.
  func add(_ items: [DeferredItem], _ zones: inout ZoneNumbers) throws {
    for item in items {
      if DeferredItem.Kind.references.contains(item.kind) {
        try remove(DeferredItem.Kind.references, item.subject, &zones)
      }
      guard let row = try row(of: item, &zones) else { continue }
      var statement = try connection.prepare(Self.insertion)
      try statement.bind(item.kind.rawValue, at: 1)
      try bind(row, to: &statement, from: 2)
      try statement.bind(value: item.reason.map(Value.text) ?? .null, at: 8)
      try statement.bind(value: item.payload.map(Value.blob) ?? .null, at: 9)
      try statement.run()
    }
  }

  /// Removes the items of a subject.
  func remove(
    _ kinds: [DeferredItem.Kind], _ subject: DeferredItem.Subject, _ zones: inout ZoneNumbers
  ) throws {
    switch subject {
    case .property(let object, let ordinal):
      guard let entity = names.entity(Int(object.layoutIndex)),
        let bit = names.bit(ordinal, Int(object.layoutIndex))
      else { return }
      try connection.run(
        Self.removal(kinds, " AND property = ?3"), entity, object.key, Int64(bit))
    case .record(let record), .pair(let record, _, _):
      guard let zone = try zones.present(record.zone) else { return }
      try connection.run(
        Self.removal(kinds, " AND zone = ?3 AND record = ?4"),
        [.integer(0), .integer(0), .integer(zone), RecordName(record.recordName).value])
    }
  }

  /// Removes all items of a kind.
  func removeAll(_ kind: DeferredItem.Kind) throws(SQLiteError) {
    try connection.run("DELETE FROM PHM_DEFERRED WHERE kind = ?1", Int64(kind.rawValue))
  }

  /// Removes the items of all properties of an object.
  func remove(_ kinds: [DeferredItem.Kind], of object: RowKey) throws {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return }
    try connection.run(Self.removal(kinds, ""), entity, object.key)
  }

  // MARK: Rows

  private struct Columns {
    var entity: Int64 = 0
    var key: Int64 = 0
    var zone: Int64 = 0
    var record = RecordName("")
    var property: Int64 = 0
    var dependency = RecordName("")
  }

  /// Returns the columns that identify an item; nil if the model does not have its subject.
  private func row(of item: DeferredItem, _ zones: inout ZoneNumbers) throws -> Columns? {
    var row = Columns()
    switch item.subject {
    case .property(let object, let ordinal):
      guard let entity = names.entity(Int(object.layoutIndex)),
        let bit = names.bit(ordinal, Int(object.layoutIndex))
      else { return nil }
      (row.entity, row.key, row.property) = (entity, object.key, Int64(bit))
    case .record(let record): row.record = RecordName(record.recordName)
    case .pair(let record, let entity, let relationship):
      guard let number = names.relationship(entity, relationship)?.number else { return nil }
      (row.record, row.property) = (RecordName(record.recordName), number)
    }
    if let zone = item.zone { row.zone = try zones.number(of: zone) }
    row.dependency = RecordName(item.dependency ?? "")
    return row
  }

  private func bind(_ row: Columns, to statement: inout Statement, from place: Int)
    throws(SQLiteError)
  {
    try statement.bind(row.entity, at: place)
    try statement.bind(row.key, at: place + 1)
    try statement.bind(row.zone, at: place + 2)
    try statement.bind(row.record, at: place + 3)
    try statement.bind(row.property, at: place + 4)
    try statement.bind(row.dependency, at: place + 5)
  }

  /// Returns the item of a row; nil if the model no longer has its subject.
  private func item(_ row: borrowing Row, _ zones: ZoneIdentifiers) throws -> DeferredItem? {
    guard let kind = DeferredItem.Kind(rawValue: Int(row.int64(at: 0))),
      let name = RecordName(row, at: 4), let dependency = RecordName(row, at: 6)
    else { return nil }
    let zone = try zones[row.int64(at: 3)]
    let (entity, number) = (row.int64(at: 1), row.int64(at: 5))
    let subject: DeferredItem.Subject
    if entity != 0 {
      guard let layout = names.layoutIndex(entity),
        let ordinal = names.ordinal(ofBit: Int(number), Int(layout))
      else { return nil }
      subject = .property(RowKey(key: row.int64(at: 2), layoutIndex: layout), ordinal: ordinal)
    } else {
      guard let zone else { return nil }
      let record = RecordIdentifier(recordName: name.text, zone: zone)
      if kind == .pair {
        guard let relationship = names.relationships[number] else { return nil }
        subject = .pair(record, entity: relationship.entity, relationship: relationship.name)
      } else {
        subject = .record(record)
      }
    }
    return DeferredItem(
      kind, subject, in: zone, dependency: dependency.text.isEmpty ? nil : dependency.text,
      reason: row.text(at: 7), payload: row.blob(at: 8))
  }
}
