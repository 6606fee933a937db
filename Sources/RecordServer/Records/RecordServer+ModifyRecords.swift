import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

extension RecordServer {
  /// `records/modify`: saves and deletes records in one transaction.
  func modifyRecords(
    _ request: RecordsModifyRequest, _ call: Call
  ) async throws(CloudError) -> BatchResponse {
    let batch = try RecordBatch(request, call, dependencies)
    let server = self
    let memory = RequestMemory(call)
    // The outcomes that are remembered for replays may be in another partition than the records.
    let partition = batch.partition.flatMap { memory == nil || memory?.partition == $0 ? $0 : nil }
    let (outcome, answer) = try await write(
      partition, onlyRemoves: batch.onlyRemoves,
      making: { outcome in
        (outcome, BatchResponse(outcome, to: batch, addresses: addresses, sealer: sealer))
      }
    ) { transaction in
      let run = try RecordBatchRun(batch, server, transaction)
      guard let memory else { return try run.run() }
      return try memory.once(
        in: transaction, at: batch.now, itemCount: batch.items.count, act: run.run,
        outcomes: { $0.outcomes.map(\.reportedOutcome) }, again: { try run.replay($0) })
    }
    if !outcome.notices.isEmpty { listener?.zonesChanged(outcome.notices) }
    if outcome.addsMail { dependencies.mailAdded?() }
    releaseFiles(of: batch, outcome)
    return answer
  }
}

/// A request to modify records, after all checks that need no storage.
struct RecordBatch: Sendable {
  /// One operation, with its zone and record name.
  ///
  /// It is a class, since copying its many properties would cost more than decoding them did.
  final class Item: Sendable {
    let operation: RecordOperation
    let identifier: RecordIdentifier
    let desiredKeys: Set<String>?
    let numbersAsStrings: Bool
    /// An error that does not depend on the storage.
    ///
    /// Only this operation fails.
    let rejection: CloudError?

    init(
      operation: RecordOperation, identifier: RecordIdentifier, desiredKeys: Set<String>?,
      numbersAsStrings: Bool,
      rejection: CloudError?
    ) {
      self.rejection = rejection
      self.operation = operation
      self.identifier = identifier
      self.desiredKeys = desiredKeys
      self.numbersAsStrings = numbersAsStrings
    }

    /// Whether the operation deletes its record.
    var isDeletion: Bool { operation.kind == .delete || operation.kind == .forceDelete }

    /// The parent that the operation sets; nil if it sets none.
    var parent: RecordIdentifier? {
      guard !isDeletion, case .record(let name) = operation.record.parent else { return nil }
      return RecordIdentifier(recordName: name, zone: identifier.zone)
    }
  }

  let call: Call
  let items: [Item]
  let isAtomic: Bool
  /// The client's feed token of the zone when it made the request; nil if it did not send one.
  let knownToken: String?
  let now: Timestamp
  /// Names for new shares and participants, generated before the transaction, which may be
  /// repeated.
  private let newNames: [RecordIdentifier: [String]]
  let limits: ServiceLimits
  /// Whether people who are added by address get a mail.
  let sendsMail: Bool

  init(_ request: RecordsModifyRequest, _ call: Call, _ dependencies: ServerDependencies)
    throws(CloudError)
  {
    limits = dependencies.limits
    sendsMail = dependencies.mailAdded != nil
    let most =
      request.atomic == true ? limits.operationsPerAtomicRequest : limits.operationsPerRequest
    guard request.operations.count <= most else {
      throw CloudError(
        .badRequest,
        "The request has \(request.operations.count) operations; at most \(most) are allowed. Send them in several requests.",
        extension: .limitExceeded)
    }
    if call.stamp != nil, request.operations.contains(where: { $0.record.recordName == nil }) {
      throw CloudError(
        .badRequest,
        "A request with a number must name its records, since generated names would differ in a replay."
      )
    }
    self.call = call
    knownToken = request.syncToken
    now = dependencies.now()
    var items: [Item] = []
    items.reserveCapacity(request.operations.count)
    var seen = Set<RecordIdentifier>(minimumCapacity: request.operations.count)
    var sets = NameSets(ofAll: request.desiredKeys)
    for operation in request.operations {
      let item = Self.item(operation, request, call, dependencies, &sets)
      guard item.rejection == nil else {
        items.append(item)
        continue
      }
      guard seen.insert(item.identifier).inserted else {
        throw CloudError(
          .badRequest,
          "The record “\(item.identifier.recordName)” is named by two operations. Send one operation for each record."
        )
      }
      items.append(item)
    }
    self.items = items
    // Only custom zones support atomic changes.
    isAtomic =
      (request.atomic ?? true) && call.scope != .public
      && !items.contains { $0.identifier.zone.isDefaultZone }
    var names: [RecordIdentifier: [String]] = [:]
    for item in items
    where item.rejection == nil
      && (item.operation.record.recordType == ShareDetails.recordType
        || item.operation.record.participants != nil
        || item.operation.record.createShortGUID)
    {
      // A share needs a short identifier, and an identifier of its owner as a participant. Each
      // participant needs an identifier, and may get a link.
      let count = 2 + 2 * (item.operation.record.participants?.count ?? 0)
      names[item.identifier] = (0..<count).map { _ in dependencies.makeName() }
    }
    newNames = names
  }

  /// The new names for a record.
  ///
  /// They are by full identifier, since zone-wide shares of several zones have the same record
  /// name.
  func names(for record: RecordIdentifier) -> NameSource { NameSource(newNames[record] ?? []) }

  private static func item(
    _ operation: RecordOperation, _ request: RecordsModifyRequest, _ call: Call,
    _ dependencies: ServerDependencies,
    _ sets: inout NameSets
  ) -> Item {
    let zone = (operation.record.zone ?? request.zone ?? ZoneReference()).identifier(
      caller: call.callerName)
    let name = operation.record.recordName ?? UUIDText.text(dependencies.makeName())
    return Item(
      operation: operation, identifier: RecordIdentifier(recordName: name, zone: zone),
      desiredKeys: sets.set(of: operation.desiredKeys ?? operation.record.desiredKeys),
      numbersAsStrings: operation.numbersAsStrings ?? request.numbersAsStrings,
      rejection: rejection(named: name, operation, dependencies.limits))
  }

  private static func rejection(
    named name: String, _ operation: RecordOperation, _ limits: ServiceLimits
  ) -> CloudError? {
    if let defect = CloudName.recordName.defect(in: name) {
      return CloudError(.badRequest, "The record name “\(name.asNameInSentence)” \(defect).")
    }
    // Each participant gets a name before the transaction, so their number is checked here.
    let participants = operation.record.participants?.count ?? 0
    guard participants > limits.participantsPerShare else { return nil }
    return CloudError(
      .badRequest,
      "A share has at most \(limits.participantsPerShare) participants; this one would have \(participants).",
      extension: .tooManyParticipants)
  }

  /// Whether the batch only deletes.
  var onlyRemoves: Bool {
    items.allSatisfy(\.isDeletion)
  }

  /// The indexes of the operations that save records.
  var saveIndexes: [RecordIdentifier: Int] {
    var places: [RecordIdentifier: Int] = [:]
    for (index, item) in items.enumerated() where item.rejection == nil && !item.isDeletion {
      places[item.identifier] = index
    }
    return places
  }

  /// The operations' indexes, ordered so that saved parents come before their children.
  var parentsFirst: [Int] {
    let places = saveIndexes
    var order: [Int] = []
    var isOrdered = Array(repeating: false, count: items.count)
    for index in items.indices {
      // The operation and its ancestors, up to one that is in the order, or a cycle.
      var chain: [Int] = []
      var next: Int? = index
      while let place = next, !isOrdered[place] {
        isOrdered[place] = true
        chain.append(place)
        next = items[place].parent.flatMap { places[$0] }
      }
      order += chain.reversed()
    }
    return order
  }

  /// The only storage partition that the batch accesses; nil if there may be several.
  var partition: String? {
    let finder = ZoneFinder(call: call)
    guard call.scope != .shared, let first = items.first else { return nil }
    let partition = finder.partition(of: first.identifier.zone)
    return items.allSatisfy { finder.partition(of: $0.identifier.zone) == partition }
      ? partition : nil
  }
}

extension Call {
  /// The zone owner's name if a client leaves it out.
  var callerName: String { caller.userRecordName ?? RecordZoneIdentifier.currentOwnerName }
}

/// Names in the form of UUIDs, as CloudKit uses them.
enum UUIDText {
  /// Upper case, with dashes.
  static func text(_ digits: String) -> String {
    let digits = Array(digits.uppercased())
    guard digits.count == 32 else { return String(digits) }
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(
      separator: "-")
  }
}

/// Returns previously generated names, one after another.
final class NameSource {
  private var rest: ArraySlice<String>

  init(_ names: [String]) { rest = names[...] }

  /// The next name.
  ///
  /// There are always enough.
  func next() -> String {
    guard let name = rest.popFirst() else {
      preconditionFailure(
        "A batch reserved fewer names than its shares and their participants need.")
    }
    return name
  }
}
