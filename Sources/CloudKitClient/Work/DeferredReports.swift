import Synchronization

/// Saves of records with encrypted values that are told when nothing has to be sealed anew any
/// more: until then their tags may change.
final class DeferredReports: Sendable {
  private let records = Mutex<[CKRecord]>([])

  /// A report that holds what might change, and tells everything else at once.
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

  /// Tells what was held, in the order in which it was saved.
  func tell(_ report: RecordModification.Report) {
    let records = records.withLock { records in
      defer { records = [] }
      return records
    }
    for record in records { report.saved(record.recordID, .success(record)) }
  }
}
