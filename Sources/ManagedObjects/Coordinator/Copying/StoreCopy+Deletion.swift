import ObjectRows

/// Deletion of the rows that were copied.
extension StoreCopy {
  /// Deletes the rows of the source that have not changed since its snapshot.
  ///
  /// This step cannot be cancelled, because the next attempt could not find out which rows were
  /// changed between the two attempts.
  ///
  /// - Returns: The rows that stay because another writer has changed them.
  func deleteOrigins(in open: OpenStore) throws -> [RowKey] {
    var changed: [RowKey] = []
    for layout in copied.reversed() {
      for batch in batches(of: layout).reversed() {
        changed += try deleteOrigins(batch, layout, in: open)
        progress.advance(by: batch.count)
      }
    }
    return changed
  }

  private func deleteOrigins(_ batch: ArraySlice<Int64>, _ layout: RowLayout, in open: OpenStore)
    throws -> [RowKey]
  {
    var versions: [Int64: Int64] = [:]
    let found = try source.rows(withKeys: Array(batch), layout: layout)
    for fetched in found.rows { versions[fetched.row.key] = fetched.row.version }
    withExtendedLifetime(found) {}
    var changed: [RowKey] = []
    while !versions.isEmpty {
      var changes = StoreChanges(transaction: settings.transaction)
      for (key, version) in versions.sorted(by: { $0.key > $1.key }) {
        changes.deleted.append(RowDeletion(layout: layout, key: key, expectedVersion: version))
      }
      guard case .conflicts(let conflicts) = try open.save(changes) else { break }
      for case .version(let row, _, let persisted) in conflicts {
        guard versions.removeValue(forKey: row.key) != nil, persisted != nil else { continue }
        changed.append(row)
      }
    }
    return changed
  }
}
