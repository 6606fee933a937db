import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// The part of an outbox page that can be sent now: records, and record names to delete.
struct ExportPage: Sendable {
  /// One entry in the form that is sent.
  struct Item: Sendable {
    let entry: OutboxEntry
    /// The record; nil for a deletion.
    let record: CKRecord?
    let files: [StagedFile]
    let plan: BatchPlan.Item
    /// Digests of the properties in the record, by ordinal.
    var digests: [Int: UInt64] = [:]
    /// The approximate bytes of the object in its record, without assets; 0 if it is not an object.
    var recordBytes = 0

    /// Adds absorbed duplicates to the record, unless the server has them.
    func note(_ mergedDuplicates: [MergedDuplicate]) {
      guard let record, record.recordChangeTag == nil || !mergedDuplicates.unsent.isEmpty else {
        return
      }
      if let text = mergedDuplicates.text { record[MirrorNames.standsFor] = text }
    }
  }

  /// An entry that cannot be encoded, or that refers to such an entry.
  struct Held: Sendable {
    let entry: OutboxEntry
    let failure: MirrorError
    /// The held-back record that the entry refers to; nil if the entry itself cannot be encoded.
    var cause: RecordIdentifier?
  }

  let items: [Item]
  let held: [Held]

  /// Returns the batches: each for one zone, with whole groups if they fit.
  func batches(_ limits: ExportLimits) -> [[Item]] {
    let zones = Set(items.map(\.entry.record.zone)).sorted()
    guard zones.count < 2 else {
      return zones.flatMap { zone in
        ExportPage(items: items.filter { $0.entry.record.zone == zone }, held: []).batches(limits)
      }
    }
    let bounds = BatchPlan.Limits(operations: limits.records, bytes: limits.bytes)
    return BatchPlan(items.map(\.plan), limits: bounds).batches.map { batch in
      batch.items.map { items[$0] }
    }
  }

  /// Returns batches of one group each, if a group fits.
  func groups(_ limits: ExportLimits) -> [[Item]] {
    Dictionary(grouping: items.indices, by: { items[$0].entry.group }).sorted { $0.key < $1.key }
      .flatMap {
        ExportPage(items: $0.value.map { items[$0] }, held: []).batches(limits)
      }
  }

  /// The bytes of a deletion: little more than a name.
  static let bytesOfDeletion = 200
}

/// The limits of one request.
package struct ExportLimits: Sendable, Equatable {
  package var records = MirrorLimits.recordsInRequest
  package var bytes = MirrorLimits.bytesInRequest
  /// Whether to send rejected entries again.
  package var sendsRefused = false

  package init(
    records: Int = MirrorLimits.recordsInRequest, bytes: Int = MirrorLimits.bytesInRequest,
    sendsRefused: Bool = false
  ) {
    self.records = records
    self.bytes = bytes
    self.sendsRefused = sendsRefused
  }
}

/// Encodes entries of the outbox, on the queue of a context.
struct ExportEncoder {
  let mirror: MirrorStore
  let encoder: RecordEncoder
  let context: NSManagedObjectContext
  let staging: TemporaryFiles
  /// The records that may have inline values that belong in assets.
  var crowded: Set<RecordIdentifier> = []

  func exportPage(of entries: [OutboxEntry]) throws -> ExportPage {
    let saved = entries.filter { $0.kind != .deletion }
    let keys = Set(saved.flatMap(\.subject.objects))
    let names = try mirror.ledger.records(of: Array(keys)).mapValues(\.identifier)
    let reader = ObjectReader(mirror: mirror, context: context)
    let objects = try reader.objects(saved.compactMap(\.subject.object))
    var unreadable: [RowKey: [Unreadable]] = [:]
    let contents = try reader.contents(of: objects, names: names) {
      unreadable[$0, default: []].append(Unreadable(property: $1, error: $2))
    }
    let unread = try mirror.ledger.unreadValues(of: keys).reduce(into: [RowKey: Set<String>]()) {
      kept, values in
      kept[values.key] = Set(mirror.names(values.value, of: values.key).keys)
    }
    let mergedDuplicates = try mirror.ledger.mergedDuplicates(of: saved.map(\.record))
    let subjects = Dictionary(
      names.map { ($0.value.recordName, OutboxEntry.Subject.object($0.key)) },
      uniquingKeysWith: { first, _ in first })
    var items: [ExportPage.Item] = []
    var held: [ExportPage.Held] = []
    for entry in entries {
      do {
        let kept = entry.subject.object.flatMap { unread[$0] } ?? []
        if let failure = failure(of: entry, unreadable, besides: kept) { throw failure }
        guard let item = try item(entry, contents, names, subjects, leaving: kept) else { continue }
        item.note(mergedDuplicates[entry.record] ?? [])
        items.append(item)
      } catch {
        held.append(ExportPage.Held(entry: entry, failure: Self.failure(error, entry)))
      }
    }
    return Self.separated(items, held)
  }

  // MARK: Entries that cannot be sent

  private struct Unreadable {
    let property: String
    let error: any Error
  }

  /// Returns why an entry cannot be sent; nil if all its values can be read.
  private func failure(
    of entry: OutboxEntry, _ unreadable: [RowKey: [Unreadable]], besides kept: Set<String>
  ) -> MirrorError? {
    guard entry.kind != .deletion, let key = entry.subject.object, let values = unreadable[key]
    else { return nil }
    let isWhole = entry.kind == .insertion || entry.systemFields == nil
    let changed = mirror.names(entry.changed, of: key)
    let concerned = values.filter {
      (isWhole || changed.contains($0.property)) && !kept.contains($0.property)
    }
    guard let first = concerned.first else { return nil }
    let entity = mirror.layouts[key.layoutIndex].entity.name ?? ""
    return MirrorError(
      .unreadableValue,
      "\(entity).\(first.property) cannot be stored in a record: "
        + "\((first.error as NSError).localizedDescription)",
      recordType: mirror.schema[entity]?.recordType)
  }

  private static func failure(_ error: any Error, _ entry: OutboxEntry) -> MirrorError {
    if let failure = error as? MirrorError { return failure }
    return MirrorError(
      .unreadableValue,
      "The record \(entry.record.recordName) cannot be created: "
        + "\((error as NSError).localizedDescription)")
  }

  /// Holds back entries that refer to held-back insertions.
  private static func separated(_ items: [ExportPage.Item], _ held: [ExportPage.Held]) -> ExportPage
  {
    var (items, held) = (items, held)
    var missing: [OutboxEntry.Subject: ExportPage.Held] = [:]
    for one in held where one.entry.kind == .insertion { missing[one.entry.subject] = one }
    while !missing.isEmpty {
      var next: [OutboxEntry.Subject: ExportPage.Held] = [:]
      items.removeAll { item in
        guard let cause = item.plan.refersTo.lazy.compactMap({ missing[$0] }).first else {
          return false
        }
        let failure = MirrorError(
          .unreadableValue, "It refers to an object that cannot be sent. \(cause.failure.message)",
          recordType: item.record?.recordType)
        let one = ExportPage.Held(entry: item.entry, failure: failure, cause: cause.entry.record)
        held.append(one)
        if item.entry.kind == .insertion { next[item.entry.subject] = one }
        return true
      }
      missing = next
    }
    return ExportPage(items: items, held: held)
  }

  /// Returns the item that sends an entry.
  ///
  /// - Parameter kept: The properties to leave out, because their values in the cloud could not be
  ///   read here.
  private func item(
    _ entry: OutboxEntry, _ contents: [RowKey: ObjectContent], _ names: [RowKey: RecordIdentifier],
    _ subjects: [String: OutboxEntry.Subject], leaving kept: Set<String>
  ) throws -> ExportPage.Item? {
    if entry.kind == .deletion {
      return ExportPage.Item(
        entry: entry, record: nil, files: [], plan: plan(entry, ExportPage.bytesOfDeletion, []))
    }
    switch entry.subject {
    case .object(let key):
      // A deleted object has another entry.
      guard let content = contents[key] else { return nil }
      return try item(entry, key, content, subjects, leaving: kept)
    case .pair(let pair):
      guard let first = names[pair.first], let second = names[pair.second] else { return nil }
      return item(entry, pair, first.recordName, second.recordName)
    }
  }

  private func item(
    _ entry: OutboxEntry, _ key: RowKey, _ content: ObjectContent,
    _ subjects: [String: OutboxEntry.Subject], leaving kept: Set<String>
  ) throws -> ExportPage.Item {
    let known = entry.systemFields.flatMap { CKRecord(systemFields: $0) }
    let isUpdate = entry.kind == .update && known != nil
    let record = known ?? encoder.makeRecord(for: content, in: entry.record.zone.zoneID)
    let entity = mirror.schema[content.entity]
    var changed = isUpdate ? mirror.names(entry.changed, of: key) : nil
    if !kept.isEmpty { changed = (changed ?? entity?.sentProperties ?? []).subtracting(kept) }
    if entry.moves > 0 { record[MirrorNames.moves] = entry.moves }
    let encoded = try encoder.encode(
      content, changed: changed, assets: crowded.contains(entry.record) ? [] : nil, into: record,
      staging: staging)
    let targets = content.references.values.compactMap { subjects[$0] }
    let digests = entity?.digests(of: changed ?? entity?.sentProperties ?? [], in: content) ?? [:]
    return ExportPage.Item(
      entry: entry, record: encoded.record, files: encoded.files,
      plan: plan(entry, encoded.bytes, targets),
      digests: mirror.ordinals(digests, of: key), recordBytes: encoded.recordBytes)
  }

  private func item(_ entry: OutboxEntry, _ pair: PairKey, _ first: String, _ second: String)
    -> ExportPage.Item?
  {
    guard let side = mirror.schema[pair.entity]?.joins[pair.relationship] else { return nil }
    let record = encoder.record(
      for: side.pair(of: first, with: second), named: entry.record.recordName,
      in: entry.record.zone.zoneID)
    if entry.moves > 0 { record[MirrorNames.moves] = entry.moves }
    return ExportPage.Item(
      entry: entry, record: record, files: [],
      plan: plan(
        entry, 2 * ExportPage.bytesOfDeletion, [.object(pair.first), .object(pair.second)]))
  }

  private func plan(_ entry: OutboxEntry, _ bytes: Int, _ targets: [OutboxEntry.Subject])
    -> BatchPlan.Item
  {
    BatchPlan.Item(
      subject: entry.subject, group: entry.group, bytes: bytes,
      refersTo: targets.sorted { "\($0)" < "\($1)" })
  }
}
