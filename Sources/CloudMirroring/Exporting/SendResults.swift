import CloudKitClient
import CloudRecords
import MirrorModel

/// The results of a batch, grouped by the required reaction.
struct SendResults {
  /// The acknowledged entries.
  private(set) var taken: [Acknowledgement] = []
  /// The entries to requeue, because the server definitely has not saved them.
  private(set) var notSaved: [OutboxEntry] = []
  /// The server's versions of records that changed remotely.
  private(set) var conflicts: [CKRecord] = []
  /// Conflicts without the server's versions.
  private(set) var bareConflicts: [OutboxEntry] = []
  /// Updates of records that the server does not have.
  private(set) var gone: [OutboxEntry] = []
  /// The rejected entries, with the reasons.
  private(set) var refused: [(entry: OutboxEntry, failure: MirrorError)] = []
  /// Whether the only record of the batch is too large.
  private(set) var isTooLarge = false
  /// The error of the whole batch.
  private(set) var failure: MirrorError?

  typealias Results = (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  )

  /// The signed-in user of a public database.
  private var user: String?

  init(_ items: [ExportPage.Item], _ results: Results, of user: String?) {
    self.user = user
    for item in items {
      let recordID = item.entry.record.recordID
      if let record = item.record {
        note(
          item, results.saveResults[record.recordID], record.recordType, isOnly: items.count == 1)
      } else {
        noteDeletion(item.entry, results.deleteResults[recordID])
      }
    }
  }

  /// Creates the results of a request that failed as a whole.
  init(_ items: [ExportPage.Item], _ error: any Error) {
    let failure = MirrorError(error)
    if items.count == 1, failure.kind == .limitExceeded {
      (refused, isTooLarge) = ([(items[0].entry, Self.tooLarge(items[0], failure))], true)
      notSaved = [items[0].entry]
      return
    }
    self.failure = failure
    // Entries that may have arrived are not requeued.
    if !failure.mayHaveArrived { notSaved = items.map(\.entry) }
  }

  private static func tooLarge(_ item: ExportPage.Item, _ failure: MirrorError) -> MirrorError {
    MirrorError(.rejectedRecord, failure.message, recordType: item.record?.recordType)
  }

  private mutating func note(
    _ item: ExportPage.Item, _ result: Result<CKRecord, any Error>?, _ recordType: String,
    isOnly: Bool
  ) {
    let entry = item.entry
    switch result {
    case .success(let record)?:
      taken.append(
        Acknowledgement(
          entry, tag: record.recordChangeTag, systemFields: record.systemFields(of: user),
          digests: item.digests))
    case .failure(let error)?: note(entry, error, recordType, isOnly: isOnly)
    case nil:
      failure =
        failure ?? MirrorError(.unexpected, "The response omits \(entry.record.recordName).")
    }
  }

  private mutating func note(
    _ entry: OutboxEntry, _ error: any Error, _ recordType: String, isOnly: Bool
  ) {
    switch (error as? CKError)?.code {
    case .serverRecordChanged:
      notSaved.append(entry)
      if let record = (error as? CKError)?.serverRecord, record.isWhole {
        conflicts.append(record)
      } else {
        bareConflicts.append(entry)
      }
    case .unknownItem:
      notSaved.append(entry)
      gone.append(entry)
    case .batchRequestFailed: notSaved.append(entry)
    default: note(entry, MirrorError(error, recordType: recordType), isOnly: isOnly)
    }
  }

  private mutating func note(_ entry: OutboxEntry, _ failure: MirrorError, isOnly: Bool) {
    let isOfRecord = [
      .rejectedRecord, .schemaNotDeployed, .permission, .keysMissing, .peopleChanged,
    ].contains(failure.kind)
    if isOfRecord || (isOnly && failure.kind == .limitExceeded) {
      refused.append((entry, failure))
      if failure.kind == .limitExceeded { isTooLarge = true }
      notSaved.append(entry)
      return
    }
    if !failure.mayHaveArrived { notSaved.append(entry) }
    self.failure = self.failure ?? failure
  }

  private mutating func noteDeletion(_ entry: OutboxEntry, _ result: Result<Void, any Error>?) {
    switch result {
    case .success?: taken.append(Acknowledgement(entry, tag: nil, systemFields: nil))
    case .failure(let error as CKError)? where error.code == .unknownItem:
      taken.append(Acknowledgement(entry, tag: nil, systemFields: nil))
    case .failure(let error as CKError)? where error.code == .serverRecordChanged:
      notSaved.append(entry)
      bareConflicts.append(entry)
    case .failure(let error as CKError)? where error.code == .batchRequestFailed:
      notSaved.append(entry)
    case .failure(let error)?: note(entry, MirrorError(error), isOnly: false)
    case nil:
      failure =
        failure ?? MirrorError(.unexpected, "The response omits \(entry.record.recordName).")
    }
  }
}

extension CKRecord {
  /// Whether the record is complete: in a conflict, files and values may be missing.
  fileprivate var isWhole: Bool {
    !lacksValues && hasItsFiles
  }

  private var hasItsFiles: Bool {
    allKeys().allSatisfy { key in
      switch self[key] {
      case let asset as CKAsset: asset.fileURL != nil
      case let assets as [CKAsset]: assets.allSatisfy { $0.fileURL != nil }
      default: true
      }
    }
  }
}

extension MirrorError {
  /// Whether the server may have executed the request although it failed.
  ///
  /// An unavailable service may be reported by a gateway that gave up waiting for the server.
  var mayHaveArrived: Bool {
    [.offline, .cancelled, .unexpected, .serviceUnavailable].contains(kind)
  }
}
