import CloudRecords
import CloudWire
import JSONCoding

/// What became of a batch, before anybody is told.
struct BatchOutcome: Sendable {
  /// What became of one operation.
  enum OperationOutcome: Sendable {
    case failed(CloudError)
    /// The record is not there any more.
    case gone
    /// The record as it is now, in one of the zones of the batch.
    case saved(StoredRecord, zone: Int)

    /// What is remembered of it, in case that the request comes again.
    var told: ReportedOutcome {
      switch self {
      case .failed(let error): .failed(error)
      case .gone: .gone
      case .saved: .there
      }
    }
  }

  /// One for each operation, in their order.
  var fates: [OperationOutcome]
  /// The zones that were written to.
  var accesses: [ZoneAccess] = []
  /// The end of the feed of the one zone that was changed.
  var syncToken: String?
  /// For those who listen, once the batch cannot be lost any more.
  var notices: [ZoneNotice] = []
}

/// The answer to a batch, as it is sent.
///
/// A long batch waits for its disk for as long as its answer takes to write: so it is written
/// meanwhile, and sent when the batch is kept.
struct BatchResponse: WireResponse {
  let bytes: [UInt8]

  init(
    _ outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) {
    var writer = JSONWriter(capacity: Self.likelyBytes(of: outcome, to: batch))
    let teller = BatchReporter(
      batch: batch, accesses: outcome.accesses, addresses: addresses, sealer: sealer)
    RecordsModifyResponse.write(to: &writer, syncToken: outcome.syncToken) { writer in
      for (item, fate) in zip(batch.items, outcome.fates) {
        writer.result(teller.result(of: item, fate))
      }
    }
    bytes = writer.array()
  }

  /// Refuses a batch of several operations whose answer would be too long.
  ///
  /// Hardly any comes near that, and its records have to be written to know.
  static func check(
    _ outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) throws(CloudError) {
    guard batch.items.count > 1, likelyMost(of: outcome, to: batch) > batch.limits.answerBytes
    else { return }
    var measure = BatchResponseSize(of: outcome, to: batch, addresses: addresses, sealer: sealer)
    for (item, fate) in zip(batch.items, outcome.fates) { try measure.add(item, fate) }
  }

  /// What the answer does not exceed.
  private static func likelyMost(of outcome: BatchOutcome, to batch: RecordBatch) -> Int {
    zip(batch.items, outcome.fates).reduce(0) { sum, told in
      guard case .saved(let record, _) = told.1 else {
        return sum + ServerLimits.writtenBytesOfRecord
      }
      let shown = told.0.desiredKeys.map(record.keeping) ?? record
      return sum + ServerLimits.writtenBytesOfRecord + shown.likelyBytes
        * ServerLimits.writtenBytesForEach
    }
  }

  /// Room for most answers: a long one that has to grow is copied.
  private static func likelyBytes(of outcome: BatchOutcome, to batch: RecordBatch) -> Int {
    zip(batch.items, outcome.fates).reduce(likelyBytes) { sum, told in
      guard told.0.desiredKeys == nil, case .saved(let record, _) = told.1, record.share == nil
      else {
        return sum + likelyBytes
      }
      return sum + likelyBytesAround + record.mostBytes
    }
  }

  /// What most records take.
  fileprivate static let likelyBytes = 1024

  /// What is told of a record beside its values.
  private static let likelyBytesAround = 256

  func write(to writer: inout JSONWriter) { writer.raw(bytes.span) }
}

/// Adds up what the answer to a batch comes to, by writing it and keeping none of it.
struct BatchResponseSize: ~Copyable {
  private let teller: BatchReporter
  private var measure: ResponseSize
  private var writer = JSONWriter(capacity: BatchResponse.likelyBytes)

  /// - Parameter outcome: Has the zones that were written to.
  init(
    of outcome: BatchOutcome, to batch: RecordBatch, addresses: any AssetAddresses,
    sealer: ValueSealer
  ) {
    teller = BatchReporter(
      batch: batch, accesses: outcome.accesses, addresses: addresses, sealer: sealer)
    measure = ResponseSize(batch.limits)
  }

  /// - Throws: Where the answer is too long with what became of one more operation, unless it is
  ///   the first.
  mutating func add(_ item: RecordBatch.Item, _ fate: BatchOutcome.OperationOutcome)
    throws(CloudError)
  {
    writer.removeAll()
    writer.result(teller.result(of: item, fate))
    try measure.add(writer.count)
  }
}

/// Tells what became of each operation of a batch.
private struct BatchReporter {
  let batch: RecordBatch
  let accesses: [ZoneAccess]
  let addresses: any AssetAddresses
  let sealer: ValueSealer

  func result(of item: RecordBatch.Item, _ fate: BatchOutcome.OperationOutcome) -> RecordResult {
    switch fate {
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
