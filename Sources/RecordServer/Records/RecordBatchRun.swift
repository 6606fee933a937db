import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

/// A batch of operations in its transaction.
///
/// An operation may need what a later one of the batch makes, such as its parent. So all are carried out as if all went well; then it is
/// looked whether what they need is there. If not, the draft is thrown away and everything is done again without those that failed, until
/// nothing fails that did not fail before. A batch that may not be done in part ends at the first failure.
final class RecordBatchRun {
  struct Outcome: Sendable {
    var response: RecordsModifyResponse
    var notices: [ZoneNotice]
  }

  private let batch: RecordBatch
  private let server: RecordServer
  private let transaction: any StorageWriting
  private let schema: SchemaCopy
  private let schemaBefore: Schema
  private let user: StoredUser?
  private let quota: QuotaLedger
  private var drafts: [RecordZoneIdentifier: ZoneWork] = [:]
  /// The zones of the batch in the order in which they are first named.
  private var zones: [RecordZoneIdentifier] = []
  private var failures: [Int: CloudError] = [:]

  init(_ batch: RecordBatch, _ server: RecordServer, _ transaction: any StorageWriting) throws {
    self.batch = batch
    self.server = server
    self.transaction = transaction
    schema = try SchemaCopy(of: batch.call.realm, in: transaction, parsed: server.parsedSchemas)
    try schema.checkIsSettled()
    schemaBefore = schema.schema
    user = try UserDirectory(realm: batch.call.realm).user(of: batch.call.caller, in: transaction)
    quota = QuotaLedger(limits: batch.limits, transaction: transaction)
  }

  func run() throws -> Outcome {
    try findZones()
    while true {
      let before = failures.count
      try carryOut()
      if batch.isAtomic, !failures.isEmpty { return refused() }
      if failures.count == before { break }
      startOver()
    }
    return try store()
  }

  private func startOver() {
    schema.startOver(with: schemaBefore)
    quota.startOver()
    for zone in zones { drafts[zone]?.startOver() }
  }

  private func findZones() throws {
    let finder = ZoneFinder(call: batch.call)
    for (index, item) in batch.items.enumerated() {
      let zone = item.identifier.zone
      if drafts[zone] == nil {
        do {
          let access = try finder.findToWrite(zone, in: transaction)
          drafts[zone] = ZoneWork(
            access, batch, schema, transaction, user: user, receipts: server.receipts, quota: quota)
          zones.append(zone)
        } catch let error as CloudError {
          failures[index] = error
          continue
        }
      }
    }
    for zone in zones {
      try drafts[zone]?.draft.load(batch.items.filter { $0.identifier.zone == zone }.map(\.identifier.recordName))
    }
  }

  /// Carries out what has not failed, and adds to the failures.
  private func carryOut() throws {
    for (index, item) in batch.items.enumerated() where failures[index] == nil {
      guard let work = drafts[item.identifier.zone] else { continue }
      try attempt(index) { try work.carryOut(item, at: index) }
    }
    // Looking at what is needed may find that a whole chain cannot be.
    for (index, item) in batch.items.enumerated() where failures[index] == nil {
      guard let work = drafts[item.identifier.zone] else { continue }
      try attempt(index) { try work.checkLinks(of: item) }
    }
  }

  private func attempt(_ index: Int, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CloudError {
      failures[index] = error
    }
  }

  /// Nothing happened: each operation is told whose fault it was.
  private func refused() -> Outcome {
    let results = batch.items.enumerated().map { index, item in
      let error =
        failures[index]
        ?? CloudError(.atomicError, "Another operation of the batch failed, and the zone changes as a whole.")
      return RecordResult.failed(recordName: item.identifier.recordName, error)
    }
    return Outcome(response: RecordsModifyResponse(records: results), notices: [])
  }

  private func store() throws -> Outcome {
    var saved: [RecordZoneIdentifier: [String: StoredRecord]] = [:]
    var notices: [ZoneNotice] = []
    for zone in zones {
      guard let work = drafts[zone], !work.draft.isEmpty else { continue }
      let events = try work.finish()
      let before = work.draft.zone.lastPosition
      saved[zone] = try work.draft.store(in: transaction, at: batch.now)
      try ZoneDirectory(database: work.access.keys.database).save(work.draft.zone, in: transaction)
      try storeShortNames(saved[zone]?.values.map(\.self) ?? [], in: work)
      var notice = ZoneNotice(
        batch.call, zone: zone, positions: before..<work.draft.zone.lastPosition,
        zoneShareName: work.draft.zone.zoneShareName, events: events.map { $0.stored(saved[zone] ?? [:]) })
      notice.sentAway = work.sentAway
      notices.append(notice)
    }
    try schema.store(in: transaction)
    let results = batch.items.enumerated().map { index, item in
      if let error = failures[index] { return RecordResult.failed(recordName: item.identifier.recordName, error) }
      return result(of: item, saved[item.identifier.zone]?[item.identifier.recordName])
    }
    return Outcome(response: RecordsModifyResponse(records: results, syncToken: syncToken), notices: notices)
  }

  /// The end of the feed of the one zone that was changed.
  private var syncToken: String? {
    guard zones.count == 1, let work = drafts[zones[0]] else { return nil }
    var access = work.access
    access.zone = work.draft.zone
    return access.wantedToken(for: batch.call)
  }

  /// Lets new shares be found by their short names.
  private func storeShortNames(_ saved: [StoredRecord], in work: ZoneWork) throws {
    for record in saved {
      guard record.share != nil, let name = record.shortIdentifier else { continue }
      let place = SharePlace(
        zone: work.access.identifier, zoneNumber: work.access.keys.number, shareName: record.recordName)
      try ShortNames(realm: batch.call.realm).store(place, under: name, in: transaction)
    }
  }

  private func result(of item: RecordBatch.Item, _ record: StoredRecord?) -> RecordResult {
    guard let record, let work = drafts[item.identifier.zone] else {
      let type = batch.call.isOwnClient ? item.operation.record.recordType : nil
      return .deleted(
        DeletedRecord(recordName: item.identifier.recordName, zone: item.identifier.zone, recordType: type))
    }
    let view = RecordView(
      access: work.access, caller: batch.call.caller, desiredKeys: item.desiredKeys,
      style: FieldStyle(numbersAsStrings: item.numbersAsStrings), serverAddress: batch.call.serverAddress,
      addresses: server.addresses)
    return .record(view.show(record))
  }
}

extension RecordEvent {
  /// The event with its record as it was stored: with its tag, and the share that covers it.
  fileprivate func stored(_ saved: [String: StoredRecord]) -> RecordEvent {
    guard event != .delete, let record = saved[record.recordName] else { return self }
    return RecordEvent(event: event, record: record)
  }
}
