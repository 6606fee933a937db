import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows

/// Objects: made, or changed.
extension MirrorImport {
  /// Makes objects of records that are new here.
  func make(_ records: [(DecodedObject, CKRecord)]) throws {
    guard !records.isEmpty else { return }
    let store = try site.store()
    var made: [NSManagedObject] = []
    for (decoded, record) in records {
      let object = NSEntityDescription.insertNewObject(forEntityName: decoded.content.entity, into: context)
      context.assign(object, to: store)
      objects[RecordIdentifier(record.recordID)] = object
      made.append(object)
    }
    noteAwakening()
    // The ledger's rows, and references that are parked, name keys that stay.
    try context.obtainPermanentIDs(for: made)
    for ((decoded, record), object) in zip(records, made) {
      // No value is one, too: a new object has what its model or its program gives it.
      self.decoded[ObjectIdentifier(object)] = decoded
      write(decoded.content, decoded.toldProperties, record, into: object)
      note(record, object, settled: .nothing, isNew: true)
    }
  }

  /// Brings objects up to what their records say.
  func change(_ records: [(DecodedObject, CKRecord, LedgerRecord)]) throws {
    let news = records.filter { page.isConflict || $0.2.tag == nil || $0.2.tag != $0.1.recordChangeTag }
    let contents = try contents(news.map(\.2))
    for (decoded, record, row) in news {
      guard let key = row.subject.object else { continue }
      guard let object = objects[row.identifier], let local = contents[key], row.pending != .deletion else {
        noteDeletedHere(decoded, record, row)
        continue
      }
      // A record that changed its entity has nothing that this object could take.
      guard object.entity.name == decoded.content.entity else {
        note(record, object, settled: .nothing)
        continue
      }
      self.decoded[ObjectIdentifier(object)] = decoded
      if row.pending == nil {
        write(decoded.content, try decoded.differences(from: local), record, into: object)
        note(record, object, settled: .nothing)
      } else {
        try merge(decoded, record, row, key, local, into: object)
      }
    }
  }

  private func contents(_ rows: [LedgerRecord]) throws -> [RowKey: ObjectContent] {
    var present: [RowKey: NSManagedObject] = [:]
    var names: [RowKey: RecordIdentifier] = [:]
    for row in rows {
      guard let key = row.subject.object, let object = objects[row.identifier] else { continue }
      (present[key], names[key]) = (object, row.identifier)
    }
    return try ObjectReader(site: site, context: context).contents(of: present, names: names)
  }

  /// An object that waits to be sent: its changed fields go over the record's.
  ///
  /// An insertion whose record is there was sent, and nobody could say so; or another device has brought back what the server had lost.
  /// Either way the record began as the object was then, and only what changed here since is ours.
  private func merge(
    _ decoded: DecodedObject, _ record: CKRecord, _ row: LedgerRecord, _ key: RowKey, _ local: ObjectContent,
    into object: NSManagedObject
  ) throws {
    // A save that comes in between makes this one begin again, so that nothing of it counts as settled.
    context.detectConflicts(for: object)
    let ours = site.names(row.changed, of: key)
    var outcome = try FieldMerge.merge(
      local: local, changed: ours, unanswered: site.names(row.unanswered, of: key),
      former: site.names(row.digests, of: key), server: decoded)
    hook?.decide(&outcome, local: local, server: decoded, site.objectID(key))
    write(outcome.content, outcome.write, record, into: object)
    let settled = ours.subtracting(outcome.send)
    note(
      record, object,
      settled: outcome.send.isEmpty ? .everything : .properties(site.ordinals(settled, of: key)))
    for entry in outcome.journal { journal(entry, key, record) }
  }

  /// The object was deleted here, and its record was changed there: the deletion goes on.
  private func noteDeletedHere(_ decoded: DecodedObject, _ record: CKRecord, _ row: LedgerRecord) {
    guard let key = row.subject.object else { return }
    changes.records.append(
      LedgerChanges.Record(
        row.subject, row.identifier, tag: record.recordChangeTag, systemFields: record.systemFields))
    journal(FieldMerge.deletedHere(server: decoded), key, record)
  }

  // MARK: Writing

  /// Writes attributes at once; relationships wait until all objects are there.
  private func write(
    _ content: ObjectContent, _ properties: Set<String>, _ record: CKRecord, into object: NSManagedObject
  ) {
    count += 1
    guard !properties.isEmpty, let entity = site.schema[content.entity] else { return }
    for property in properties.sorted() where !entity.attributes(of: property).isEmpty {
      // What this version of the program cannot read, such as an archive of a class that it lacks, stays as it is here.
      let value: Any?
      do { value = try entity.objectValue(of: property, in: content) } catch { continue }
      object.willChangeValue(forKey: property)
      object.setPrimitiveValue(value, forKey: property)
      object.didChangeValue(forKey: property)
    }
    relations.append(
      Relation(
        object: object, entity: entity, zone: RecordZoneIdentifier(record.recordID.zoneID), content: content,
        properties: properties))
  }

  private func note(
    _ record: CKRecord, _ object: NSManagedObject, settled: LedgerChanges.Record.Settled, isNew: Bool = false
  ) {
    changes.records.append(
      LedgerChanges.Record(
        .object(object.objectID.rowKey), RecordIdentifier(record.recordID), tag: record.recordChangeTag,
        systemFields: record.systemFields, settled: settled, isNew: isNew, digests: digests(of: object)))
  }

  /// Digests of what an object's record tells.
  private func digests(of object: NSManagedObject) -> [Int: UInt64] {
    guard let decoded = decoded[ObjectIdentifier(object)] else { return [:] }
    return site.ordinals(
      decoded.entity.digests(of: decoded.toldProperties, in: decoded.content), of: object.objectID.rowKey)
  }

  func journal(_ entry: MergeJournalEntry, _ key: RowKey, _ record: CKRecord?) {
    changes.journal.append(
      JournalEntry(
        date: site.now, object: key, property: entry.property ?? "", kept: entry.kept.flatMap(JournalValue.bytes),
        overwritten: JournalValue.bytes(entry.overwritten), keptIsOurs: entry.winner == .local,
        author: record?.lastModifiedUserRecordID?.recordName))
  }
}

/// The form of values in the journal.
enum JournalValue {
  /// Short values that lie in the files of fetched assets are taken in, since the files go.
  static func bytes(_ content: ObjectContent) -> [UInt8]? {
    let content = (try? content.holdingFiles(upTo: MappingLimits.journalBytes)) ?? content
    // A content that cannot be written is one without values of use to anybody.
    return (try? JSONEncoder().encode(content)).map { Array($0) }
  }

  static func content(_ bytes: [UInt8]) -> ObjectContent? {
    try? JSONDecoder().decode(ObjectContent.self, from: Data(bytes))
  }
}
