import Synchronization

/// Defers the reports of saved records with encrypted values until resealing has ended, because
/// resealing may change the records' tags.
final class DeferredReports: Sendable {
  private let records = Mutex<[CKRecord]>([])

  /// A report that defers records that may change, and passes on everything else.
  func holding(_ report: RecordModification.Report) -> RecordModification.Report {
    var holding = report
    holding.saved = { recordID, result in
      guard case .success(let record) = result,
        record.state.withLock({ !$0.encrypted.contents.isEmpty })
      else {
        return report.saved(recordID, result)
      }
      self.records.withLock { $0.append(record) }
    }
    return holding
  }

  /// Passes on the deferred records, in the order in which they were saved.
  func flush(to report: RecordModification.Report) {
    let records = records.withLock { records in
      defer { records = [] }
      return records
    }
    for record in records { report.saved(record.recordID, .success(record)) }
  }
}
