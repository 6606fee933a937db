import CloudRecords
import CloudWire
import JSONCoding

/// The outcome of a batch before it is reported.
struct BatchOutcome: Sendable {
  /// The outcome of one operation.
  enum OperationOutcome: Sendable {
    case failed(CloudError)
    /// The record was deleted.
    case gone
    /// The saved record, and the index of its zone.
    case saved(StoredRecord, zone: Int)

    /// The outcome that is remembered for a replay.
    var reportedOutcome: ReportedOutcome {
      switch self {
      case .failed(let error): .failed(error)
      case .gone: .gone
      case .saved: .there
      }
    }
  }

  /// One outcome per operation, in order.
  var outcomes: [OperationOutcome]
  /// The zones of the batch, to which the indexes in `outcomes` refer.
  var accesses: [ZoneAccess] = []
  /// The token for the end of the feed, if the batch has one zone.
  var syncToken: String?
  /// The notices for listeners after the commit.
  var notices: [ZoneNotice] = []
  /// Whether invitations were added to the queue of mails.
  var addsMail = false
}

/// The encoded response to a batch.
///
/// It is encoded while the commit waits for the disk, which takes about as long, and sent after the
/// commit.
struct BatchResponse: WireResponse {
  let bytes: [UInt8]

  init(
    _ outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) {
    var writer = JSONWriter(capacity: Self.likelyBytes(of: outcome, to: batch))
    let reporter = BatchReporter(
      batch: batch, accesses: outcome.accesses, addresses: addresses, sealer: sealer)
    RecordsModifyResponse.write(to: &writer, syncToken: outcome.syncToken) { writer in
      for (item, operationOutcome) in zip(batch.items, outcome.outcomes) {
        writer.result(reporter.result(of: item, operationOutcome))
      }
    }
    bytes = writer.array()
  }

  /// Throws if the response to a batch of several operations would be too long.
  ///
  /// Few batches come near the limit, and only those are encoded to measure them.
  static func check(
    _ outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) throws(CloudError) {
    guard batch.items.count > 1, likelyMost(of: outcome, to: batch) > batch.limits.answerBytes
    else { return }
    var measure = BatchResponseSize(of: outcome, to: batch, addresses: addresses, sealer: sealer)
    for (item, operationOutcome) in zip(batch.items, outcome.outcomes) {
      try measure.add(item, operationOutcome)
    }
  }

  /// An upper bound of the response's size.
  private static func likelyMost(of outcome: BatchOutcome, to batch: RecordBatch) -> Int {
    zip(batch.items, outcome.outcomes).reduce(0) { sum, pair in
      guard case .saved(let record, _) = pair.1 else {
        return sum + ServerLimits.writtenBytesOfRecord
      }
      let shown = pair.0.desiredKeys.map(record.keeping) ?? record
      return sum + ServerLimits.writtenBytesOfRecord + shown.likelyBytes
        * ServerLimits.writtenBytesForEach
    }
  }

  /// An estimate of the response's size, for the buffer: growing a long buffer would copy it.
  private static func likelyBytes(of outcome: BatchOutcome, to batch: RecordBatch) -> Int {
    zip(batch.items, outcome.outcomes).reduce(likelyBytes) { sum, pair in
      guard pair.0.desiredKeys == nil, case .saved(let record, _) = pair.1, record.share == nil
      else {
        return sum + likelyBytes
      }
      return sum + likelyBytesAround + record.mostBytes
    }
  }

  /// The size of most records.
  fileprivate static let likelyBytes = 1024

  /// The size of a record's properties other than its values.
  private static let likelyBytesAround = 256

  func write(to writer: inout JSONWriter) { writer.raw(bytes.span) }
}

/// Measures the response to a batch by encoding it piece by piece.
struct BatchResponseSize: ~Copyable {
  private let reporter: BatchReporter
  private var measure: ResponseSize
  private var writer = JSONWriter(capacity: BatchResponse.likelyBytes)

  /// Starts to measure the response to a batch.
  ///
  /// - Parameter outcome: An outcome that contains the zones of the batch.
  init(
    of outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) {
    reporter = BatchReporter(
      batch: batch, accesses: outcome.accesses, addresses: addresses, sealer: sealer)
    measure = ResponseSize(batch.limits)
  }

  /// Adds the result of an operation.
  ///
  /// - Throws: If another operation makes the response too long, unless it is the first.
  mutating func add(_ item: RecordBatch.Item, _ operationOutcome: BatchOutcome.OperationOutcome)
    throws(CloudError)
  {
    writer.removeAll()
    writer.result(reporter.result(of: item, operationOutcome))
    try measure.add(writer.count)
  }
}

/// Creates the result of each operation of a batch.
private struct BatchReporter {
  let batch: RecordBatch
  let accesses: [ZoneAccess]
  let addresses: any AssetAddresses
  let sealer: ValueSealer

  func result(of item: RecordBatch.Item, _ operationOutcome: BatchOutcome.OperationOutcome)
    -> RecordResult
  {
    switch operationOutcome {
    case .failed(let error):
      return .failed(
        recordName: item.identifier.recordName, error.directing(to: batch.call.redirectURL))
    case .gone:
      let type = batch.call.isOwnClient ? item.operation.record.recordType : nil
      return .deleted(
        DeletedRecord(
          recordName: item.identifier.recordName, zone: item.identifier.zone, recordType: type))
    case .saved(let record, let zone):
      let view = RecordView(
        access: accesses[zone], caller: batch.call.caller, desiredKeys: item.desiredKeys,
        style: FieldStyle(numbersAsStrings: item.numbersAsStrings),
        serverAddress: batch.call.serverAddress,
        addresses: addresses, sealer: sealer)
      return view.result(of: record)
    }
  }
}
