import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Values of records that could not be read here, such as one that a transformer makes nothing of,
/// or one of another type.
///
/// The object has another value in their place, which no user chose. It is not sent until the
/// program sets the property.
extension Ledger {
  /// What is wrong with values of some objects that could not be read, by the ordinals of their
  /// properties.
  package func unreadValues(of objects: some Sequence<RowKey>) throws -> [RowKey: [Int: String]] {
    try read { connection in
      guard try connection.number(OutboxFolding.anyUnread) != nil else { return [:] }
      var found: [RowKey: [Int: String]] = [:]
      var statement = try connection.prepare(Self.unreadOfObject)
      for object in objects {
        guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
        try statement.bind(entity, at: 1)
        try statement.bind(object.key, at: 2)
        while try statement.step() {
          guard
            let ordinal = names.ordinal(
              ofBit: Int(statement.row.int64(at: 0)), Int(object.layoutIndex))
          else {
            continue
          }
          found[object, default: [:]][ordinal] = statement.row.text(at: 1) ?? ""
        }
      }
      return found
    }
  }

  static let unreadOfObject =
    "SELECT property, reason FROM PHM_UNREAD WHERE entity = ?1 AND key = ?2"

  /// How many values could not be read, and which is the first one.
  package func unreadSummary() throws -> (
    count: Int, first: (object: RowKey, ordinal: Int, reason: String)
  )? {
    try read { connection in
      var statement = try connection.prepare(
        "SELECT entity, key, property, reason FROM PHM_UNREAD ORDER BY entity, key, property")
      var (count, first): (Int, (object: RowKey, ordinal: Int, reason: String)?) = (0, nil)
      while try statement.step() {
        // Of what the model has no more nothing is missed.
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)),
          let ordinal = names.ordinal(ofBit: Int(statement.row.int64(at: 2)), Int(layout))
        else { continue }
        count += 1
        let object = RowKey(key: statement.row.int64(at: 1), layoutIndex: layout)
        first = first ?? (object, ordinal, statement.row.text(at: 3) ?? "")
      }
      return first.map { (count, $0) }
    }
  }

  /// Some of the objects of whose records something could not be read, in an order of their own,
  /// after one of them.
  package func unreadObjects(after last: RowKey?, limit: Int) throws -> [RowKey] {
    try read { connection in
      var statement = try connection.prepare(Self.unreadObjects)
      try statement.bind(last.flatMap { names.entity(Int($0.layoutIndex)) } ?? .min, at: 1)
      try statement.bind(last?.key ?? .min, at: 2)
      try statement.bind(limit, at: 3)
      var found: [RowKey] = []
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
        found.append(RowKey(key: statement.row.int64(at: 1), layoutIndex: layout))
      }
      return found
    }
  }

  package static let unreadObjects =
    "SELECT DISTINCT entity, key FROM PHM_UNREAD WHERE (entity, key) > (?1, ?2) ORDER BY "
    + "entity, key LIMIT ?3"
}

extension LedgerWriter {
  /// Notes what of a record could not be read, in the place of what was noted of an earlier one.
  func noteUnread(_ records: [LedgerChanges.Record]) throws {
    let isAnyNoted = try connection.number(OutboxFolding.anyUnread) != nil
    for record in records where isAnyNoted || !record.unread.isEmpty {
      guard case .object(let object) = record.subject,
        let entity = names.entity(Int(object.layoutIndex))
      else {
        continue
      }
      try connection.run(OutboxFolding.forgettingUnreadOfObject, entity, object.key)
      for (ordinal, reason) in record.unread.sorted(by: { $0.key < $1.key }) {
        guard let bit = names.bit(ordinal, Int(object.layoutIndex)) else { continue }
        try connection.run(
          "INSERT INTO PHM_UNREAD(entity, key, property, reason) VALUES(?, ?, ?, ?)",
          [.integer(entity), .integer(object.key), .integer(Int64(bit)), .text(reason)])
      }
    }
  }
}
