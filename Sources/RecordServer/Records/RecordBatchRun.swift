import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

/// A batch of operations in its transaction.
///
/// An operation may depend on a later one, such as one that saves its parent. So all operations are
/// carried out as if they succeeded, and then their dependencies are checked. If operations fail,
/// the draft is discarded and the batch is repeated without them, until no further ones fail. An
/// atomic batch ends after the first pass with a failure.
final class RecordBatchRun {
  private let batch: RecordBatch
  private let server: RecordServer
  private let transaction: any StorageWriting
  private let schema: SchemaCopy
  private let schemaBefore: Schema
  private let user: StoredUser?
  private let quota: QuotaLedger
  private let cascades: CascadeLedger
  /// The zones of the batch, in the order of their first use.
  @safe @exclusivity(unchecked) private var works: [ZoneWork] = []
  /// For each operation, the index of its zone; nil if the zone cannot be written.
  @safe @exclusivity(unchecked) private var places: [Int?] = []
  /// The indexes of the operations, in the order in which they are carried out.
  private var order: [Int] = []
  @safe @exclusivity(unchecked) private var failures: [Int: CloudError] = [:]
  /// The operations that exceed the quota.
  private var withoutRoom: Set<Int> = []
  private var cascaded: CascadedRecords
  /// The user's keys, if an operation names the ones that sealed its values.
  private var keys: PresentKeys?

  init(_ batch: RecordBatch, _ server: RecordServer, _ transaction: any StorageWriting) throws {
    self.batch = batch
    self.server = server
    self.transaction = transaction
    schema = try SchemaCopy(of: batch.call.realm, in: transaction, parsed: server.parsedSchemas)
    try schema.checkIsSettled()
    schemaBefore = schema.schema
    user = try UserDirectory(realm: batch.call.realm).user(of: batch.call.caller, in: transaction)
    quota = QuotaLedger(
      limits: batch.limits, caller: batch.call.caller.userRecordName, transaction: transaction)
    cascades = CascadeLedger(most: batch.limits.cascadesPerRequest)
    cascaded = CascadedRecords(most: batch.limits.answerBytes)
  }

  func run() throws -> BatchOutcome {
    try findZones()
    try loadRecords()
    // A participant may create children of shared records only, so their parents come first.
    order = works.allSatisfy(\.access.seesAll) ? Array(batch.items.indices) : batch.parentsFirst
    while true {
      let before = Set(failures.keys)
      try carryOut()
      if batch.isAtomic, !failures.isEmpty { return refused() }
      if Set(failures.keys) == before { break }
      startOver()
    }
    let outcome = try store()
    // Nothing is committed yet: a batch whose response is too long is rolled back.
    try BatchResponse.check(outcome, to: batch, addresses: server.addresses, sealer: server.sealer)
    return outcome
  }

  /// Repeats the outcomes of the operations, with the current records.
  ///
  /// Sizes are measured as when the operations were carried out, so that the same response fits
  /// again. Records that have grown since may not fit.
  func replay(_ outcomes: [ReportedOutcome]) throws -> BatchOutcome {
    try findZones()
    try loadOutlines()
    var outcome = BatchOutcome(outcomes: [])
    outcome.accesses = works.map(\.access)
    var measure = BatchResponseSize(
      of: outcome, to: batch, addresses: server.addresses, sealer: server.sealer)
    for (index, reported) in zip(batch.items.indices, outcomes) {
      let item = batch.items[index]
      var operationOutcome = try operationOutcome(of: index, reported)
      do throws(CloudError) {
        try measure.add(item, operationOutcome)
      } catch {
        if case .saved = operationOutcome {
          operationOutcome = .failed(Self.outgrown(item.identifier.recordName))
        }
      }
      outcome.outcomes.append(operationOutcome)
    }
    return outcome
  }

  /// Adds an invitation to the queue of mails.
  private func addMail(to participant: String, at place: SharePlace) throws {
    let realm = batch.call.realm
    let start = try MailQueue.count(
      by: batch.call.callerName, in: realm, at: batch.now, transaction)
    try MailQueue.add(
      QueuedMail(place: place, realm: realm, participant: participant, start: start),
      in: transaction)
  }

  private func operationOutcome(of index: Int, _ reported: ReportedOutcome) throws
    -> BatchOutcome.OperationOutcome
  {
    switch reported {
    case .failed(let error): .failed(error)
    case .gone: .gone
    case .there: try currentOutcome(of: index)
    }
  }

  /// The current outcome of a saved record, which may have been deleted since, or hidden from the
  /// caller.
  private func currentOutcome(of index: Int) throws -> BatchOutcome.OperationOutcome {
    if let error = failures[index] { return .failed(error) }
    let item = batch.items[index]
    let name = item.identifier.recordName
    guard let place = places[index], let record = try works[place].draft.uncached(name),
      works[place].isVisible(record)
    else {
      return .failed(CloudError(.notFound, "The record “\(name)” was saved, and deleted since."))
    }
    return .saved(item.desiredKeys.map(record.keeping) ?? record, zone: place)
  }

  /// The error for a record that has grown and no longer fits: after a conflict, the client fetches
  /// it.
  private static func outgrown(_ name: String) -> CloudError {
    CloudError(
      .conflict,
      "The record “\(name)” was saved, and has grown since: it does not fit into the response. Fetch it."
    )
  }

  /// Reads outlines of all operations' records, without keeping the records.
  private func loadOutlines() throws {
    for (work, names) in zip(works, names) { try work.draft.loadOutlines(names) }
  }

  private func startOver() {
    schema.startOver(with: schemaBefore)
    quota.startOver()
    cascades.startOver()
    for work in works { work.startOver() }
  }

  private func findZones() throws {
    var known: [RecordZoneIdentifier: Int] = [:]
    places.reserveCapacity(batch.items.count)
    for index in batch.items.indices {
      if let rejection = batch.items[index].rejection {
        failures[index] = rejection
        places.append(nil)
        continue
      }
      let identifier = batch.items[index].identifier
      // Most batches are in one zone.
      if works.last?.access.identifier == identifier.zone {
        places.append(works.count - 1)
        continue
      }
      let place = try known[identifier.zone] ?? find(identifier.zone, for: index)
      places.append(place)
      if let place { known[identifier.zone] = place }
    }
  }

  /// Reads the records of all operations.
  private func loadRecords() throws {
    var measure = ResponseSize(batch.limits, times: ServerLimits.batchRecordResponses)
    for (work, names) in zip(works, names) {
      work.draft.reserve(names.count)
      try work.draft.load(names) { try measure.add($0) }
    }
  }

  /// The names of the records, by zone.
  private var names: [[String]] {
    var names = Array(repeating: [String](), count: works.count)
    for (item, place) in zip(batch.items, places) {
      if let place { names[place].append(item.identifier.recordName) }
    }
    return names
  }

  /// Prepares a zone for the first operation in it; nil if the zone cannot be written.
  private func find(_ zone: RecordZoneIdentifier, for index: Int) throws -> Int? {
    do {
      let access = try ZoneFinder(call: batch.call).findToWrite(zone, in: transaction)
      let known = try ZoneFeed.knownPosition(batch.knownToken, access, batch.call)
      works.append(
        ZoneWork(
          access, batch, schema, transaction, user: user, receipts: server.receipts,
          sealer: server.sealer,
          quota: quota, cascades: cascades, knownPosition: known))
      return works.count - 1
    } catch let error as CloudError {
      failures[index] = error
      return nil
    }
  }

  /// The work on an operation's zone; nil if the operation has failed.
  private func work(on index: Int) -> ZoneWork? {
    guard failures[index] == nil, let place = places[index] else { return nil }
    return works[place]
  }

  /// Carries out the operations that have not failed, and collects further failures.
  private func carryOut() throws {
    let before = failures
    for index in order {
      guard let work = work(on: index) else { continue }
      quota.begin(index)
      try attempt(index) {
        if let generation = batch.items[index].operation.keyGeneration {
          try presentKeys.check(generation)
        }
        try work.carryOut(batch.items[index], at: index)
      }
    }
    let refusals = try quota.refusals { failures[$0] == nil }
    withoutRoom.formUnion(refusals.keys)
    failures.merge(refusals) { $1 }
    let failedAtOnce = failures
    try checkLinks()
    // An operation may have failed, or exceeded the quota, because of another one that then failed.
    // It is retried without that one.
    guard !batch.isAtomic, failures.count > failedAtOnce.count else { return }
    failures = failures.filter { index, _ in
      failedAtOnce[index] == nil || (before[index] != nil && !withoutRoom.contains(index))
    }
    withoutRoom = []
  }

  /// Checks the dependencies of the operations.
  ///
  /// A failed operation also fails the operations that need its record, so that a long chain runs
  /// again only once.
  private func checkLinks() throws {
    var places: [RecordIdentifier: Int]?
    var next = Array(batch.items.indices)
    while !next.isEmpty {
      var dependents: Set<Int> = []
      for index in next {
        guard let work = work(on: index) else { continue }
        let item = batch.items[index]
        try attempt(index) { try work.checkLinks(of: item) }
        guard failures[index] != nil, !batch.isAtomic else { continue }
        let saves = places ?? batch.saveIndexes
        places = saves
        for name in try work.failCreation(of: item.identifier.recordName) {
          let record = RecordIdentifier(recordName: name, zone: item.identifier.zone)
          if let place = saves[record] { dependents.insert(place) }
        }
      }
      next = dependents.sorted()
    }
  }

  private var presentKeys: PresentKeys {
    get throws {
      if let keys { return keys }
      let read = try PresentKeys(of: batch.call, in: transaction)
      keys = read
      return read
    }
  }

  private func attempt(_ index: Int, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CloudError {
      failures[index] = error
    }
  }

  /// The outcome of an atomic batch that failed: operations without an error of their own get
  /// `ATOMIC_ERROR`.
  private func refused() -> BatchOutcome {
    let outcomes = batch.items.indices.map { index in
      BatchOutcome.OperationOutcome.failed(
        failures[index]
          ?? CloudError(
            .atomicError, "Another operation of the batch failed, and the zone changes as a whole.")
      )
    }
    return BatchOutcome(outcomes: outcomes)
  }

  private func store() throws -> BatchOutcome {
    var notices: [ZoneNotice] = []
    for work in works where !work.draft.isEmpty { notices.append(try store(work)) }
    try schema.store(in: transaction)
    var outcome = BatchOutcome(outcomes: try batch.items.indices.map(operationOutcome))
    outcome.accesses = works.map(\.access)
    outcome.syncToken = syncToken
    outcome.notices = notices
    outcome.addsMail = works.contains { !$0.mailed.isEmpty }
    return outcome
  }

  /// The token for the end of the feed, if the batch has one zone.
  private var syncToken: String? {
    guard works.count == 1, let work = works.first else { return nil }
    var access = work.access
    access.zone = work.draft.zone
    return access.wantedToken(for: batch.call)
  }

  /// Stores the changes of one zone.
  private func store(_ work: ZoneWork) throws -> ZoneNotice {
    let roots = try work.finish()
    let before = work.draft.zone.lastPosition
    cascaded.begin()
    let saved = try work.draft.store(in: transaction, at: batch.now) { cascaded.take($0, $1) }
    var walk = try CoverageWalk(below: work.draft, in: transaction)
    try walk.run(from: roots)
    try work.draft.storeZone(in: transaction)
    try storeShortNames(saved, in: work)
    var notice = ZoneNotice(
      batch.call, zone: work.access.identifier, positions: before..<work.draft.zone.lastPosition,
      zoneShareName: work.draft.zone.zoneShareName,
      events: try work.events.map { try $0.stored(in: work.draft, cascaded) })
    notice.removedParticipants = work.removedParticipants
    return notice
  }

  /// Stores the short identifiers of shares and of participants' own links, removes those of ended
  /// links, and queues invitations.
  private func storeShortNames(_ saved: [StoredRecord], in work: ZoneWork) throws {
    let names = ShortNames(realm: batch.call.realm)
    for name in work.endedLinks { try names.forget(name, in: transaction) }
    for record in saved where record.share != nil {
      let place = SharePlace(
        zone: work.access.identifier, zoneNumber: work.access.keys.number,
        shareName: record.recordName)
      for name in record.shareNames { try names.store(place, under: name, in: transaction) }
      for mail in work.mailed where mail.shareName == record.recordName {
        try addMail(to: mail.participant, at: place)
      }
    }
  }

  private func operationOutcome(of index: Int) throws -> BatchOutcome.OperationOutcome {
    if let error = failures[index] { return .failed(error) }
    let item = batch.items[index]
    // A share that a participant leaves by deleting it stays for others, and is gone for that
    // participant.
    guard !item.isDeletion, let place = places[index] else { return .gone }
    return try works[place].draft.record(item.identifier.recordName).map { .saved($0, zone: place) }
      ?? .gone
  }
}

extension RecordEvent {
  /// The event with the record as stored: with its tag and covering share.
  fileprivate func stored(in draft: ZoneDraft, _ cascaded: CascadedRecords) throws -> RecordEvent {
    guard event != .delete else { return cascaded.completed(self) }
    return RecordEvent(event: event, record: try draft.record(record.recordName) ?? record)
  }
}
