import CloudKitClient
import CloudRecords
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

extension MirrorStore {
  /// Returns the saved contents of objects, because deleted objects have lost their relationships.
  fileprivate func savedContents(of names: [RowKey: RecordIdentifier]) throws -> [RowKey:
    ObjectContent]
  {
    try withContextAndWait { context in
      let reader = ObjectReader(mirror: self, context: context)
      return try reader.contents(of: try reader.objects(names.keys), names: names)
    }
  }
}

/// Deletions in the cloud.
extension MirrorImport {
  /// Deletes the objects of deleted records, and separates pairs.
  ///
  /// A deletion wins over pending changes, which are journaled.
  func remove() throws {
    let deleted = page.deleted.map { RecordIdentifier($0) }
    let rows = deleted.compactMap { known[$0] }
    let references = DeferredItem.Kind.references
    for item in try mirror.ledger.deferred(references, dependingOn: deleted) {
      changes.resolve(item)
    }
    let waiting = rows.filter { $0.pending == .update || $0.pending == .insertion }
    let lost = try contents(waiting)
    for name in deleted {
      changes.resolve([.former], .record(name))
      // An object cannot finish its move if the whole zone was deleted.
      let isGone = page.isGoneOutsidePage?(name) ?? false
      guard let row = known[name],
        try isGone || !StrayRecords(owner: self).survives(deletionOf: name, row)
      else {
        changes.resolve([.pair], .record(name))
        continue
      }
      // If the pair has another record, it still exists.
      if case .pair(let pair) = row.subject {
        guard (pairRecords[pair] ?? []).allSatisfy({ $0 == name }) else { continue }
      }
      count += 1
      if let key = row.subject.object, let content = lost[key] {
        journal(FieldMerge.deletedThere(local: content), key, nil)
      }
      guard try !duplicates.replace(name) else { continue }
      changes.deleted.append(row.subject)
      switch row.subject {
      case .object: if let object = objects[name] { context.delete(object) }
      case .pair(let pair): try separatePair(pair)
      }
    }
    try journalCascades()
  }

  /// Journals objects that delete rules remove, because the deleting device may not have known
  /// them.
  private func journalCascades() throws {
    guard !page.deleted.isEmpty else { return }
    context.processPendingChanges()
    let deleted = context.deletedObjects
    // Objects of the page itself were never saved.
    for received in received {
      guard case .object(let decoded) = received.meaning, let object = objects[received.identifier],
        object.isDeleted, !deleted.contains(object)
      else { continue }
      journal(
        FieldMerge.deletedThere(local: decoded.content), object.objectID.rowKey, received.record)
    }
    let named = Set(changes.deleted.compactMap(\.object))
    let keys = deleted.map(\.objectID.rowKey).filter { !named.contains($0) }
    let names = try mirror.ledger.records(of: keys).mapValues(\.identifier).filter {
      !isGoneOutsidePage($0.value)
    }
    guard !names.isEmpty else { return }
    for (key, content) in try mirror.savedContents(of: names).sorted(by: {
      $0.value.recordName < $1.value.recordName
    }) {
      journal(FieldMerge.deletedThere(local: content), key, nil)
    }
  }

  private func isGoneOutsidePage(_ record: RecordIdentifier) -> Bool {
    gone.contains(record) || page.isGoneOutsidePage?(record) ?? false
  }

  private func separatePair(_ pair: PairKey) throws {
    let objects = try ObjectReader(mirror: mirror, context: context).objects([
      pair.first, pair.second,
    ])
    guard let first = objects[pair.first], let second = objects[pair.second] else { return }
    first.remove(second, from: pair.relationship)
  }
}
