import CloudKitClient
import CloudRecords
import ManagedObjects
import ObjectRows

/// What was deleted in the cloud.
extension MirrorImport {
  /// Deletes the objects of records that are gone, and takes pairs apart.
  ///
  /// A delete wins over what waits to be sent; what that was goes to the journal.
  func remove() throws {
    let deleted = page.deleted.map { RecordIdentifier($0) }
    let rows = deleted.compactMap { known[$0] }
    changes.unparked += try site.ledger.parkedReferences(to: deleted)
    let waiting = rows.filter { $0.pending == .update || $0.pending == .insertion }
    let lost = try lostContents(waiting)
    for name in deleted {
      guard let row = known[name] else {
        changes.unparkedPairs.append(name)
        continue
      }
      // A pair that another record stands for now is still there.
      let hasOther = changes.records.contains { $0.subject == row.subject && $0.identifier != name }
      guard row.subject.object != nil || !hasOther else { continue }
      changes.deleted.append(row.subject)
      count += 1
      switch row.subject {
      case .object(let key):
        if let content = lost[key] { journal(FieldMerge.deletedThere(local: content), key, nil) }
        if let object = objects[name] { context.delete(object) }
      case .pair(let pair): try takeApart(pair)
      }
    }
  }

  private func lostContents(_ rows: [LedgerRecord]) throws -> [RowKey: ObjectContent] {
    var present: [RowKey: NSManagedObject] = [:]
    var names: [RowKey: RecordIdentifier] = [:]
    for row in rows {
      guard let key = row.subject.object, let object = objects[row.identifier] else { continue }
      (present[key], names[key]) = (object, row.identifier)
    }
    return try ObjectReader(site: site, context: context).contents(of: present, names: names)
  }

  private func takeApart(_ pair: PairKey) throws {
    let objects = try ObjectReader(site: site, context: context).objects([pair.first, pair.second])
    guard let first = objects[pair.first], let second = objects[pair.second] else { return }
    take(second, outOf: pair.relationship, of: first)
  }
}
