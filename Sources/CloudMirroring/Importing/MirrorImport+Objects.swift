import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Inserting and updating objects.
extension MirrorImport {
  /// Inserts objects for records that are new here.
  func make(_ records: [ReceivedRecord]) throws {
    guard !records.isEmpty else { return }
    let store = try mirror.store()
    var made: [(ReceivedRecord, DecodedObject, NSManagedObject)] = []
    for received in records {
      guard case .object(let decoded) = received.meaning else { continue }
      let object = NSEntityDescription.insertNewObject(
        forEntityName: decoded.content.entity, into: context)
      context.assign(object, to: store)
      objects[received.identifier] = object
      made.append((received, decoded, object))
    }
    HookedChanges(owner: self).noteAwakening()
    // The ledger's rows and deferred references need permanent keys.
    try context.obtainPermanentIDs(for: made.map(\.2))
    for (received, decoded, object) in made {
      // A missing value counts as unset: the new object keeps the default of its model or program.
      receivedRecords[ObjectIdentifier(object)] = received
      changes.made.append(object.objectID.rowKey)
      write(
        decoded.content, decoded.determinedProperties, of: decoded.entity, received, into: object)
      // The ledger already knows a restored object.
      note(
        received, object, settled: .nothing,
        lacking: mirror.ordinals(unannounced(received), of: object.objectID.rowKey),
        isNew: known[received.identifier] == nil)
    }
  }

  /// Updates objects from their records.
  func change(_ records: [(ReceivedRecord, LedgerRecord)]) throws {
    let news = records.filter {
      page.isConflict || page.isRelisting || !$0.1.isSame($0.0)
    }
    let contents = try contents(news.map(\.1))
    formerFailures = try mirror.ledger.unreadValues(of: contents.keys)
    for (received, row) in news {
      guard let key = row.subject.object, case .object(var decoded) = received.meaning else {
        continue
      }
      let isKnown = page.isRelisting && row.isSame(received)
      guard let object = objects[row.identifier], let local = contents[key],
        row.pending != .deletion
      else {
        if !isKnown { noteDeletedHere(decoded, received, row) }
        continue
      }
      // If the record's entity changed, this object cannot take its values.
      guard object.entity.name == decoded.content.entity else {
        note(received, object, settled: .nothing)
        continue
      }
      if isKnown {
        decoded = decoded.treatingAbsentAsUnfetched
        if formerFailures[key] == nil, try decoded.differences(from: local).isEmpty { continue }
      }
      receivedRecords[ObjectIdentifier(object)] = received
      if row.pending == nil, try loss(of: row, received) == .kept {
        write(
          decoded.content, try decoded.differences(from: local), of: decoded.entity, received,
          into: object)
        note(received, object, settled: .nothing)
      } else {
        try merge(decoded, received, row, key, local, into: object)
      }
    }
  }

  /// The effect of a server's restoration on the local version of a record.
  private func loss(of row: LedgerRecord, _ received: ReceivedRecord) throws -> VersionLoss {
    try lost(in: row.identifier.zone)?.loss(of: row.tag, listed: received.tag) ?? .kept
  }

  func contents(_ rows: [LedgerRecord]) throws -> [RowKey: ObjectContent] {
    var present: [RowKey: NSManagedObject] = [:]
    var names: [RowKey: RecordIdentifier] = [:]
    for row in rows {
      guard let key = row.subject.object, let object = objects[row.identifier] else { continue }
      (present[key], names[key]) = (object, row.identifier)
    }
    return try ObjectReader(mirror: mirror, context: context).contents(of: present, names: names)
  }

  /// Merges a record into an object with pending changes.
  ///
  /// If the record of a pending insertion exists, the insertion was sent but not answered, or
  /// another device created the record again. Then only later changes are ours. If a restored
  /// server lost our version, the object is ours unless the record is newer than the restoration.
  private func merge(
    _ decoded: DecodedObject, _ received: ReceivedRecord, _ row: LedgerRecord, _ key: RowKey,
    _ local: ObjectContent, into object: NSManagedObject
  ) throws {
    // A save in between restarts the import, so that none of that save's changes counts as settled.
    context.detectConflicts(for: object)
    let waiting = mirror.names(row.changed, of: key)
    if page.isReverting {
      return try revert(decoded, received, waiting, key, local, into: object)
    }
    // The user did not choose values that replace unreadable ones.
    let unread = Set(mirror.names(formerFailures[key] ?? [:], of: key).keys)
    let own = waiting.subtracting(unread)
    let (former, ours, isReturned) = try StrayRecords(owner: self).changes(
      of: row, received, key, own, decoded.entity, in: local)
    let loss = try loss(of: row, received)
    let isLost = row.isLost || loss == .replaced
    var outcome =
      if loss == .restored {
        // Values of the backup count as unchanged on the server: no acknowledged value is lost.
        try FieldMerge.merge(
          local: local, changed: nil, former: mirror.names(received.digests, of: key),
          server: decoded
        )
      } else {
        try FieldMerge.merge(
          local: local, changed: ours, unanswered: mirror.names(row.unanswered, of: key),
          earlier: row.earlier.map { mirror.names($0, of: key) }, former: former, isLost: isLost,
          isNew: row.isNew, server: decoded)
      }
    hook?.decide(&outcome, local: local, server: decoded, mirror.objectID(key))
    outcome.send.subtract(unread)
    outcome.send.formUnion(waiting.intersection(unannounced(received)))
    write(outcome.content, outcome.write, of: decoded.entity, received, into: object)
    let settled = waiting.subtracting(outcome.send)
    note(
      received, object,
      settled: outcome.send.isEmpty ? .everything : .properties(mirror.ordinals(settled, of: key)),
      lacking: isLost || loss == .restored || isReturned
        ? mirror.ordinals(outcome.send.subtracting(waiting), of: key) : OrdinalSet(),
      sent: outcome.send)
    for entry in outcome.journal { journal(entry, key, received.record) }
  }

  /// Replaces changes that the user may not make with the server's values.
  private func revert(
    _ decoded: DecodedObject, _ received: ReceivedRecord, _ waiting: Set<String>, _ key: RowKey,
    _ local: ObjectContent, into object: NSManagedObject
  ) throws {
    let differences = try decoded.differences(from: local)
    write(decoded.content, differences, of: decoded.entity, received, into: object)
    note(received, object, settled: .everything)
    for property in differences.intersection(waiting).sorted() {
      journal(
        MergeJournalEntry(
          entity: decoded.entity.name, recordName: local.recordName, property: property,
          kept: decoded.content.part([property]), overwritten: local.part([property]),
          winner: .server), key, received.record)
    }
  }

  /// Handles a remote change of a record whose object was deleted here: the deletion remains.
  private func noteDeletedHere(
    _ decoded: DecodedObject, _ received: ReceivedRecord, _ row: LedgerRecord
  ) {
    guard let key = row.subject.object else { return }
    changes.records.append(
      LedgerChanges.Record(
        row.subject, received.identifier, tag: received.tag, systemFields: received.systemFields,
        moves: received.moves))
    journal(FieldMerge.deletedHere(server: decoded), key, received.record)
  }

  // MARK: Writing

  /// Writes attributes at once; relationships wait until all objects exist.
  func write(
    _ content: ObjectContent, _ properties: Set<String>, of entity: MirrorEntity,
    _ received: ReceivedRecord, into object: NSManagedObject
  ) {
    count += 1
    guard !properties.isEmpty else { return }
    for property in entity.attributeProperties where properties.contains(property) {
      // If this program cannot read a value, such as an archive of an unknown class, the local
      // value stays, and the property is recorded as unread.
      let value: Any?
      do { value = try entity.objectValue(of: property, in: content) } catch {
        failures[ObjectIdentifier(object), default: [:]][property] =
          (error as NSError).localizedDescription
        continue
      }
      object.willChangeValue(forKey: property)
      object.setPrimitiveValue(value, forKey: property)
      object.didChangeValue(forKey: property)
    }
    relations.append(
      Relation(
        object: object, entity: entity, zone: received.identifier.zone, content: content,
        properties: properties))
  }

  private func note(
    _ received: ReceivedRecord, _ object: NSManagedObject, settled: LedgerChanges.Record.Settled,
    lacking: OrdinalSet = OrdinalSet(), sent: Set<String> = [], isNew: Bool = false
  ) {
    addMergedDuplicates(received)
    if let row = known[received.identifier], row.moves > received.moves {
      StrayRecords(owner: self).sendMoves(of: object)
    }
    changes.records.append(
      LedgerChanges.Record(
        .object(object.objectID.rowKey), received.identifier, tag: received.tag,
        systemFields: received.systemFields,
        settled: settled, lacking: lacking, unread: unread(received, object, besides: sent),
        isNew: isNew, digests: digests(received, object), moves: received.moves))
  }

  /// Returns digests of the server's values; a partial record leaves the other digests unchanged.
  private func digests(_ received: ReceivedRecord, _ object: NSManagedObject) -> [Int: UInt64] {
    let news = receivedRecords[ObjectIdentifier(object)]?.digests ?? [:]
    return page.isPartial ? (known[received.identifier]?.digests ?? [:]).merging(news) { $1 } : news
  }

  /// Returns why values of a record could not be read, by ordinal, except values that are sent
  /// again.
  private func unread(
    _ received: ReceivedRecord, _ object: NSManagedObject, besides sent: Set<String>
  )
    -> [Int: String]
  {
    guard case .object(let decoded) = received.meaning, decoded.entity.name == object.entity.name
    else { return [:] }
    let key = object.objectID.rowKey
    var reasons = failures[ObjectIdentifier(object)] ?? [:]
    for issue in decoded.issues { reasons[issue.property] = issue.description }
    for (property, reason) in mirror.names(formerFailures[key] ?? [:], of: key)
    where decoded.unfetched.contains(property) {
      reasons[property] = reason
    }
    return mirror.ordinals(reasons.filter { !sent.contains($0.key) }, of: key)
  }

  func journal(_ entry: MergeJournalEntry, _ key: RowKey, _ record: CKRecord?) {
    changes.journal.append(
      JournalEntry(entry, key, at: mirror.now, author: record?.lastModifiedUserRecordID?.recordName)
    )
  }
}

extension JournalEntry {
  /// Creates the journal's form of an entry.
  init(_ entry: MergeJournalEntry, _ object: RowKey, at date: Date, author: String? = nil) {
    self.init(
      date: date, object: object, property: entry.property ?? "",
      kept: entry.kept.flatMap(JournalValue.bytes),
      overwritten: JournalValue.bytes(entry.overwritten), keptIsOurs: entry.winner == .local,
      author: author)
  }
}

/// The form of values in the journal.
enum JournalValue {
  /// Encodes content, with short values from the files of assets, because the files are removed.
  static func bytes(_ content: ObjectContent) -> [UInt8]? {
    let content = (try? content.holdingFiles(upTo: MappingLimits.journalBytes)) ?? content
    // Content that cannot be encoded has no useful values.
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return (try? encoder.encode(content)).map { Array($0) }
  }

  static func content(_ bytes: [UInt8]) -> ObjectContent? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(ObjectContent.self, from: Data(bytes))
  }
}

extension LedgerRecord {
  /// Whether the ledger has this version of the record; records of two zones may have equal tags.
  func isSame(_ received: ReceivedRecord) -> Bool {
    identifier == received.identifier && tag != nil && tag == received.tag
  }
}
