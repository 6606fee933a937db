import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Reads the pending entries, oldest group first.
struct OutboxReader {
  package let names: LedgerNames
  package let connection: Connection
  private let zones: ZoneIdentifiers

  init(_ names: LedgerNames, _ connection: Connection) {
    self.names = names
    self.connection = connection
    zones = ZoneIdentifiers(connection)
  }

  package static let objects =
    "SELECT entity, key, zone, name, pending, grp, stamp, reach, tag, "
    + "\(SystemFields.ofObject), sent, "
    + "moves, m0 | s0, m1 | s1, m2 | s2, m3 | s3 FROM PHM_OBJECT "
    + "WHERE grp IS NOT NULL AND (grp, entity, key) > (?1, ?2, ?3) ORDER BY grp, entity, key "
    + "LIMIT ?4"

  package static let pairs =
    "SELECT relationship, first, second, firstentity, secondentity, zone, name, pending, grp, "
    + "stamp, reach, "
    + "tag, \(SystemFields.ofPair), sent, moves "
    + "FROM PHM_PAIR WHERE grp IS NOT NULL AND (grp, relationship, first, second) > (?1, ?2, "
    + "?3, ?4) "
    + "ORDER BY grp, relationship, first, second LIMIT ?5"

  /// Returns whole groups after a position; only a group above the limit is split.
  package func page(after position: OutboxPosition?, limit: Int) throws -> OutboxPage {
    let limit = max(limit, 1)
    var found: [(entry: OutboxEntry, position: OutboxPosition)] = []
    try readObjects(after: position, limit + 1) { found.append(($0, $1)) }
    try readPairs(after: position, limit + 1) { found.append(($0, $1)) }
    // The index keeps objects, and pairs, in the order in which they were read.
    let sorted = found.indices.sorted {
      (found[$0].position.group, found[$0].position.isPair ? 1 : 0, $0) < (
        found[$1].position.group, found[$1].position.isPair ? 1 : 0, $1
      )
    }
    guard sorted.count > limit else {
      return OutboxPage(
        entries: sorted.map { found[$0].entry }, next: nil,
        end: sorted.last.map { found[$0].position }, cutsGroup: false)
    }
    var taken = sorted.prefix(limit)
    let following = found[sorted[limit]].position.group
    let wholeGroups = taken.prefix { found[$0].position.group != following }
    let cutsGroup = wholeGroups.isEmpty
    if !cutsGroup { taken = wholeGroups }
    let end = taken.last.map { found[$0].position }
    return OutboxPage(
      entries: taken.map { found[$0].entry }, next: end, end: end, cutsGroup: cutsGroup)
  }

  private func readObjects(
    after position: OutboxPosition?, _ limit: Int, _ body: (OutboxEntry, OutboxPosition) -> Void
  ) throws {
    var statement = try connection.prepare(Self.objects)
    // The pairs of a group come after its objects.
    let after =
      position.map { $0.isPair ? [$0.group, .max, .max] : [$0.group] + $0.numbers } ?? [
        .min, .min, .min,
      ]
    for (place, number) in after.enumerated() { try statement.bind(number, at: place + 1) }
    try statement.bind(limit, at: 4)
    while try statement.step() {
      let row = try RecordColumns(statement.row, from: 2, zones)
      let (entity, key) = (statement.row.int64(at: 0), statement.row.int64(at: 1))
      guard let layout = names.layoutIndex(entity), let entry = row else { continue }
      let changed =
        entry.kind == .update
        ? names.ordinals(PropertyMask(statement.row, at: 12), Int(layout)) : OrdinalSet()
      body(
        entry.entry(.object(RowKey(key: key, layoutIndex: layout)), changed),
        OutboxPosition(group: entry.group, isPair: false, numbers: [entity, key]))
    }
  }

  private func readPairs(
    after position: OutboxPosition?, _ limit: Int, _ body: (OutboxEntry, OutboxPosition) -> Void
  ) throws {
    var statement = try connection.prepare(Self.pairs)
    let first =
      position.map { $0.isPair ? [$0.group] + $0.numbers : [$0.group, .min, .min, .min] } ?? [
        .min, .min, .min, .min,
      ]
    for (place, number) in first.enumerated() { try statement.bind(number, at: place + 1) }
    try statement.bind(limit, at: 5)
    while try statement.step() {
      guard let pair = names.pair(statement.row),
        let entry = try RecordColumns(statement.row, from: 5, zones)
      else { continue }
      body(
        entry.entry(.pair(pair), OrdinalSet()),
        OutboxPosition(
          group: entry.group, isPair: true,
          numbers: [statement.row.int64(at: 0), pair.first.key, pair.second.key]))
    }
  }
}

/// The columns zone, name, pending, grp, stamp, reach, tag, system, sent and moves of a row.
private struct RecordColumns {
  let identifier: RecordIdentifier
  let kind: OutboxEntry.Kind
  let group: Int64
  let stamp: Int64
  let reach: Int64
  let tag: String?
  let systemFields: [UInt8]?
  let isUnanswered: Bool
  let moves: Int64

  init?(_ row: borrowing Row, from column: Int, _ zones: ZoneIdentifiers) throws {
    guard let zone = try zones[row.int64(at: column)], let name = RecordName(row, at: column + 1),
      let kind = OutboxEntry.Kind(rawValue: Int(row.int64(at: column + 2)))
    else { return nil }
    identifier = RecordIdentifier(recordName: name.text, zone: zone)
    self.kind = kind
    group = row.int64(at: column + 3)
    stamp = row.int64(at: column + 4)
    reach = row.int64(at: column + 5)
    tag = row.text(at: column + 6)
    systemFields = row.blob(at: column + 7)
    isUnanswered = row.optionalDouble(at: column + 8) != nil
    moves = row.int64(at: column + 9)
  }

  func entry(_ subject: OutboxEntry.Subject, _ changed: OrdinalSet) -> OutboxEntry {
    OutboxEntry(
      subject: subject, kind: kind, changed: changed, group: group, stamp: stamp,
      record: identifier, tag: tag,
      systemFields: systemFields, mayBeOnServer: reach > 0, isUnanswered: isUnanswered,
      moves: moves)
  }
}

extension LedgerNames {
  /// Returns the pair in the columns relationship, first, second, firstentity and secondentity.
  package func pair(_ row: borrowing Row) -> PairKey? {
    guard let relationship = relationships[row.int64(at: 0)],
      let first = layoutIndex(row.int64(at: 3)), let second = layoutIndex(row.int64(at: 4))
    else { return nil }
    return PairKey(
      entity: relationship.entity, relationship: relationship.name,
      first: RowKey(key: row.int64(at: 1), layoutIndex: first),
      second: RowKey(key: row.int64(at: 2), layoutIndex: second))
  }
}
