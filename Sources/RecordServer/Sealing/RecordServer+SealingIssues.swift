package import CloudRecords
import RecordStorage

extension RecordServer {
  /// The issues with keys and sealed values, one sentence each.
  ///
  /// - Parameter isThorough: Whether every value is opened.
  package func sealingIssues(isThorough: Bool) async throws(CloudError) -> [String] {
    let stored = try await read(StoredSealingKey.partition) { try StoredSealingKey.read(in: $0) }
    if let stored, !sealer.has(stored.current) { return [stored.missing.reason] }
    guard isThorough else { return [] }
    var issues: [String] = []
    try await visitZones { keys, address throws(CloudError) in
      let sealing = RecordSealing(sealer, in: keys)
      var (count, first) = (0, String?.none)
      var position: UInt64? = 0
      while let start = position {
        let page = try await read(keys.database.owner) { try sealing.faults(after: start, in: $0) }
        (count, first) = (count + page.count, first ?? page.first)
        position = page.last
      }
      if let first {
        issues.append(
          "\(count) records of \(keys.database.owner) in \(address.container) are unreadable. \(first)"
        )
      }
    }
    return issues
  }
}

extension RecordSealing {
  /// The number of a page's records with a value that cannot be opened, the issue of the first, and
  /// where the next page begins.
  fileprivate func faults(
    after position: UInt64, in transaction: any StorageReading
  ) throws -> (count: Int, first: String?, last: UInt64?) {
    let (entries, isWhole) = try transaction.entriesOfStep(in: keys.entries(after: position))
    var (count, first) = (0, String?.none)
    for entry in entries where StoredEntry.isRecord(entry.value.span) {
      guard let defect = try defect(of: entry.value) else { continue }
      (count, first) = (count + 1, first ?? defect)
    }
    guard !isWhole, let last = entries.last else { return (count, first, nil) }
    return (count, first, try keys.position(of: last.key.bytes.span))
  }

  private func defect(of entry: [UInt8]) throws -> String? {
    guard case .record(let record) = try StoredEntry(bytes: entry), !record.sealed.isEmpty else {
      return nil
    }
    do throws(CloudError) {
      _ = try opened(record)
      return nil
    } catch {
      return error.reason
    }
  }
}
