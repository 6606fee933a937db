import CloudRecords
import Foundation
package import MirrorModel
import ObjectRows
import SQLiteDriver

/// The pending entries of a ledger, and the results of sending them.
package struct Outbox: Sendable {
  let ledger: Ledger

  private var names: LedgerNames { ledger.names }
  private var others: OtherProcesses { ledger.recorder.others }
  private var zones: SharedZones { ledger.sharedZones }

  private var now: Double { ledger.options.now().timeIntervalSinceReferenceDate }

  /// Returns pending entries in whole groups, oldest first; only a group above the limit is split.
  package func nextGroups(after position: OutboxPosition? = nil, limit: Int) throws -> OutboxPage {
    try ledger.read { try OutboxReader(names, $0).page(after: position, limit: limit) }
  }

  /// Marks entries that are about to be sent.
  ///
  /// It must be called before each request, which is sent after `settle()` returned. From then on
  /// the server may have the entries, and later changes are recorded separately. If an object that
  /// was never sent is deleted after its entry was read, its row is gone. Its deletion is then
  /// enqueued; otherwise the record would stay on the server.
  ///
  /// - Returns: The entries to send, without those whose records moved to another zone meanwhile.
  @discardableResult
  package func recordSending(_ entries: [OutboxEntry]) throws -> [OutboxEntry] {
    let now = self.now
    return try ledger.writeUnawaited { connection in
      let entries = try zones.unmoved(entries, on: connection)
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

  /// Removes exactly the entries that were sent and acknowledged.
  ///
  /// If a power failure loses this write, the entries count as sent and unanswered.
  ///
  /// - Parameter maker: The user who created records of a public database; nil for other databases.
  package func acknowledge(_ sent: [Acknowledgement], by maker: RecordCreator? = nil) throws {
    let now = self.now
    var names = RecordNameSequence(makeUUID: ledger.options.makeUUID)
    try others.noting {
      try ledger.writeUnawaited { connection in
        try others.note(nil, on: connection)
        let unmoved = try zones.unmovedRecords(sent.map(\.entry), on: connection)
        for acknowledgement in sent where unmoved?.contains(acknowledgement.entry.record) ?? true {
          let entry = acknowledgement.entry
          let statements = statements(of: entry.subject)
          if entry.kind == .deletion {
            if try run(statements.deleted, entry.subject, connection) == false {
              try run(statements.reinserted, entry.subject, connection, [names.next().value])
              // No device ever had a record with the new name.
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
                try ReaderTable(connection).recordCreation(entry.record, by: maker)
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
    try ledger.write { connection in
      for entry in try zones.unmoved(entries, on: connection) {
        try run(statements(of: entry.subject).notSaved, entry.subject, connection)
      }
    }
  }

  /// Requeues unanswered entries, whose requests may still arrive.
  package func requeueUnanswered(_ entries: [OutboxEntry]) throws {
    try ledger.write { connection in
      for entry in try zones.unmoved(entries, on: connection) {
        try run(statements(of: entry.subject).notAnswered, entry.subject, connection)
      }
    }
  }

  /// Requeues entries for records that the server does not have, as whole insertions.
  ///
  /// Deletions of such records count as acknowledged.
  package func requeueMissing(_ entries: [OutboxEntry]) throws {
    try ledger.write { connection in
      for entry in try zones.unmoved(entries, on: connection) {
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
    try ledger.write { connection in
      try connection.recordFilling()
      for record in records {
        guard let tag = record.tag else { continue }
        try run(statements(of: record.subject).lost, record.subject, connection, [.text(tag)])
      }
    }
  }

  /// Enqueues the deletion of an object or pair whose row was dropped just before it was sent.
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

  /// Runs a statement on the row of a subject.
  ///
  /// - Returns: Whether the row changed; nil if the model does not have the subject.
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

  /// Returns the key columns of a subject's row; nil if the model does not have the subject.
  private func numbers(of subject: OutboxEntry.Subject) -> [Int64]? {
    switch subject {
    case .object(let object): names.entity(Int(object.layoutIndex)).map { [$0, object.key] }
    case .pair(let pair):
      names.relationship(pair.entity, pair.relationship).map {
        [$0.number, pair.first.key, pair.second.key]
      }
    }
  }

  /// Stores the version that the server has now.
  ///
  /// The properties that an update did not send keep their digests.
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
