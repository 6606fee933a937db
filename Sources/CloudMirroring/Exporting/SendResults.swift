import CloudKitClient
import CloudRecords
import MirrorModel

/// What became of a batch, sorted by what has to be done about it.
struct SendResults {
  /// What the server has taken.
  private(set) var taken: [Acknowledgement] = []
  /// What waits again: it was none of its fault, or it is merged first.
  private(set) var notTaken: [OutboxEntry] = []
  /// The server's versions of records that changed remotely.
  private(set) var conflicts: [CKRecord] = []
  /// Conflicts that came without the server's versions.
  private(set) var untold: [OutboxEntry] = []
  /// Records that are to be changed and that the server does not have.
  private(set) var gone: [OutboxEntry] = []
  /// What the server refuses for a reason of its own.
  private(set) var refused: [(entry: OutboxEntry, fault: MirrorError)] = []
  /// Whether the only record of the batch is too large.
  private(set) var isTooLarge = false
  /// What concerns all of them.
  private(set) var fault: MirrorError?

  typealias Results = (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  )

  /// Who is signed in, of a public database.
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

  /// Everything failed for one reason.
  init(_ items: [ExportPage.Item], _ error: any Error) {
    let fault = MirrorError(error)
    if items.count == 1, fault.kind == .limitExceeded {
      (refused, isTooLarge) = ([(items[0].entry, Self.tooLarge(items[0], fault))], true)
      notTaken = [items[0].entry]
      return
    }
    self.fault = fault
    // What is not known to have been refused may be on the server.
    if !fault.mayHaveArrived { notTaken = items.map(\.entry) }
  }

  private static func tooLarge(_ item: ExportPage.Item, _ fault: MirrorError) -> MirrorError {
    MirrorError(.rejectedRecord, fault.message, recordType: item.record?.recordType)
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
      fault =
        fault ?? MirrorError(.unexpected, "The server said nothing of \(entry.record.recordName).")
    }
  }

  private mutating func note(
    _ entry: OutboxEntry, _ error: any Error, _ recordType: String, isOnly: Bool
  ) {
    switch (error as? CKError)?.code {
    case .serverRecordChanged:
      notTaken.append(entry)
      if let record = (error as? CKError)?.serverRecord, record.isWhole {
        conflicts.append(record)
      } else {
        untold.append(entry)
      }
    case .unknownItem:
      notTaken.append(entry)
      gone.append(entry)
    case .batchRequestFailed: notTaken.append(entry)
    default: note(entry, MirrorError(error, recordType: recordType), isOnly: isOnly)
    }
  }

  private mutating func note(_ entry: OutboxEntry, _ fault: MirrorError, isOnly: Bool) {
    let isOfRecord = [
      .rejectedRecord, .schemaNotDeployed, .permission, .keysMissing, .peopleChanged,
    ].contains(fault.kind)
    if isOfRecord || (isOnly && fault.kind == .limitExceeded) {
      refused.append((entry, fault))
      if fault.kind == .limitExceeded { isTooLarge = true }
      notTaken.append(entry)
      return
    }
    if !fault.mayHaveArrived { notTaken.append(entry) }
    self.fault = self.fault ?? fault
  }

  private mutating func noteDeletion(_ entry: OutboxEntry, _ result: Result<Void, any Error>?) {
    switch result {
    case .success?: taken.append(Acknowledgement(entry, tag: nil, systemFields: nil))
    case .failure(let error as CKError)? where error.code == .unknownItem:
      taken.append(Acknowledgement(entry, tag: nil, systemFields: nil))
    case .failure(let error as CKError)? where error.code == .serverRecordChanged:
      notTaken.append(entry)
      untold.append(entry)
    case .failure(let error as CKError)? where error.code == .batchRequestFailed:
      notTaken.append(entry)
    case .failure(let error)?: note(entry, MirrorError(error), isOnly: false)
    case nil:
      fault =
        fault ?? MirrorError(.unexpected, "The server said nothing of \(entry.record.recordName).")
    }
  }
}

extension CKRecord {
  /// Whether all of it came: a conflict tells its record without files that cannot be had, and
  /// without values that cannot be opened.
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
  /// Whether the server may have done what it was asked, although an error came back.
  ///
  /// A service that is not available may be a gateway's word, which has waited too long for the
  /// server behind it.
  var mayHaveArrived: Bool {
    [.offline, .cancelled, .unexpected, .serviceUnavailable].contains(kind)
  }
}
