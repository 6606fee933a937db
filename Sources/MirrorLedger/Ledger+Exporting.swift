import CloudRecords
import Foundation
package import MirrorModel
import ObjectRows
import SQLiteDriver

/// What is sent to the cloud.
extension Ledger {
  /// What waits, oldest group first: whole groups, of so many entries at most; only a group that is
  /// larger by itself is cut.
  package func nextGroups(after position: OutboxPosition? = nil, limit: Int) throws -> OutboxPage {
    try read { try OutboxReader(names, $0).page(after: position, limit: limit) }
  }

  /// Notes that entries are about to be sent: to be called before each request, which goes once
  /// `settle()` has returned.
  ///
  /// From then on they may be on the server, and what changes afterwards is kept apart from what
  /// was sent. What was deleted since it was read, and forgotten because it had never been sent, is
  /// put in again as a deletion: the record that is about to be sent would stay otherwise.
  ///
  /// - Returns: The entries to send: those that moved to another zone meanwhile are left out.
  @discardableResult
  package func recordSending(_ entries: [OutboxEntry]) throws -> [OutboxEntry] {
    let now = options.now().timeIntervalSinceReferenceDate
    return try writeUnawaited { connection in
      let entries = try sharedZones.unmoved(entries, on: connection)
      for entry in entries {
        let statements = statements(of: entry.subject)
        let values: [Value] = [.integer(entry.stamp), .real(now)]
        if try run(statements.sending, entry.subject, connection, values) ?? true { continue }
        if try run(statements.sendingFormer, entry.subject, connection, values) ?? true { continue }
        if entry.kind != .deletion { try bringBack(entry, connection) }
      }
      return entries
    }
  }

  /// Takes out exactly what was sent and the server has acknowledged.
  ///
  /// What is lost of it counts as sent and not answered.
  ///
  /// - Parameter maker: Who has made the records of a public database; nil for others.
  package func acknowledge(_ sent: [Acknowledgement], by maker: Maker? = nil) throws {
    let now = options.now().timeIntervalSinceReferenceDate
    var names = RecordNameSequence(makeUUID: options.makeUUID)
    try recorder.others.noting {
      try writeUnawaited { connection in
        try recorder.others.note(nil, on: connection)
        let unmoved = try sharedZones.unmovedRecords(sent.map(\.entry), on: connection)
        for acknowledgement in sent where unmoved?.contains(acknowledgement.entry.record) ?? true {
          let (entry, statements) = (
            acknowledgement.entry, statements(of: acknowledgement.entry.subject)
          )
          if entry.kind == .deletion {
            if try run(statements.deleted, entry.subject, connection) == false {
              try run(statements.cameBack, entry.subject, connection, [names.next().value])
              // No device ever had a record of the new name.
              if case .object = entry.subject, let numbers = numbers(of: entry.subject) {
                try SystemFields.forget(ofObject: numbers, on: connection)
              }
            }
          } else {
            let values: [Value] = [
              .integer(entry.stamp), .real(now), acknowledgement.tag.map(Value.text) ?? .null,
            ]
            if try run(statements.saved, entry.subject, connection, values) == true {
              try setVersion(acknowledgement, connection)
              if let maker, entry.kind == .insertion {
                try ReaderTable(connection).noteMade(entry.record, by: maker)
              }
            }
          }
        }
        if try connection.number(DuplicateTable.anyUnsent) != nil {
          try DuplicateTable(connection).noteAcknowledged()
        }
      }
    }
  }

  /// Requeues entries that the server rejected or reported as conflicts.
  package func requeueRejected(_ entries: [OutboxEntry]) throws {
    try write { connection in
      for entry in try sharedZones.unmoved(entries, on: connection) {
        try run(statements(of: entry.subject).notTaken, entry.subject, connection)
      }
    }
  }

  /// Requeues unanswered entries: what was sent of them may still arrive.
  package func requeueUnanswered(_ entries: [OutboxEntry]) throws {
    try write { connection in
      for entry in try sharedZones.unmoved(entries, on: connection) {
        try run(statements(of: entry.subject).notAnswered, entry.subject, connection)
      }
    }
  }

  /// Requeues entries whose records the server does not have, as whole insertions; deletions of
  /// such records are done.
  package func requeueMissing(_ entries: [OutboxEntry]) throws {
    try write { connection in
      for entry in try sharedZones.unmoved(entries, on: connection) {
        let statements = statements(of: entry.subject)
        if try run(statements.deleted, entry.subject, connection) == false {
          try run(statements.unknown, entry.subject, connection)
        }
      }
    }
  }

  /// Requeues records that a restored server has lost, as insertions of whole objects and pairs.
  package func requeueLost(_ records: [LedgerRecord]) throws {
    guard !records.isEmpty else { return }
    try write { connection in
      try connection.recordFilling()
      for record in records {
        guard let tag = record.tag else { continue }
        try run(statements(of: record.subject).lost, record.subject, connection, [.text(tag)])
      }
    }
  }

  /// Puts in the deletion of what was forgotten while it was about to be sent.
  private func bringBack(_ entry: OutboxEntry, _ connection: Connection) throws {
    var zones = ZoneNumbers(connection)
    let zone = try zones.number(of: entry.record.zone)
    let columns = "zone, name, pending, grp, stamp, reach"
    let values: [Value] = [
      .integer(zone), RecordName(entry.record.recordName).value, .integer(entry.group),
      .integer(entry.stamp + 1),
    ]
    switch entry.subject {
    case .object(let object):
      guard let entity = names.entity(Int(object.layoutIndex)) else { return }
      try connection.run(
        "INSERT INTO PHM_OBJECT(entity, key, \(columns)) VALUES(?, ?, ?, ?, 2, ?, ?, 1) ON "
          + "CONFLICT(entity, key) DO NOTHING",
        [.integer(entity), .integer(object.key)] + values)
    case .pair(let pair):
      guard let relationship = names.relationship(pair.entity, pair.relationship),
        let first = names.entity(Int(pair.first.layoutIndex)),
        let second = names.entity(Int(pair.second.layoutIndex))
      else { return }
      try connection.run(
        "INSERT INTO PHM_PAIR(relationship, first, second, firstentity, secondentity, \(columns)) "
          + "VALUES(?, ?, ?, ?, ?, ?, ?, 2, ?, ?, 1) ON CONFLICT(relationship, first, second) "
          + "DO NOTHING",
        [relationship.number, pair.first.key, pair.second.key, first, second].map(Value.integer)
          + values)
    }
  }

  // MARK: Statements

  private func statements(of subject: OutboxEntry.Subject) -> SentStatements {
    switch subject {
    case .object: .objects
    case .pair: .pairs
    }
  }

  /// Runs a statement on the row of a subject, and tells whether it changed it; nil where the model
  /// does not have it.
  @discardableResult
  private func run(
    _ sql: String, _ subject: OutboxEntry.Subject, _ connection: Connection, _ values: [Value] = []
  ) throws -> Bool? {
    guard let numbers = numbers(of: subject) else { return nil }
    var statement = try connection.prepare(sql)
    for (place, number) in numbers.enumerated() { try statement.bind(number, at: place + 1) }
    for (place, value) in values.enumerated() { try statement.bind(value: value, at: place + 4) }
    try statement.run()
    return connection.changes > 0
  }

  /// The numbers by which a subject's row is found; nil where the model does not have it.
  private func numbers(of subject: OutboxEntry.Subject) -> [Int64]? {
    switch subject {
    case .object(let object): names.entity(Int(object.layoutIndex)).map { [$0, object.key] }
    case .pair(let pair):
      names.relationship(pair.entity, pair.relationship).map {
        [$0.number, pair.first.key, pair.second.key]
      }
    }
  }

  /// Keeps what the server has now: of an update, the properties that were not sent are as they
  /// were.
  private func setVersion(_ acknowledgement: Acknowledgement, _ connection: Connection) throws {
    let entry = acknowledgement.entry
    guard let numbers = numbers(of: entry.subject) else { return }
    var digests = PropertyDigests()
    if case .object(let object) = entry.subject {
      if entry.kind == .update { digests = try SystemFields.digests(of: numbers, on: connection) }
      digests.merge(PropertyDigests(acknowledgement.digests, names, Int(object.layoutIndex)))
    }
    try SystemFields.set(acknowledgement.systemFields, digests, of: numbers, on: connection)
  }
}
