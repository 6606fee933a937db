package import CloudRecords
package import CloudWire
import RecordStorage

/// Stores key bags, which only clients can open, so that the server cannot read sealed data. The
/// server controls access to the bags.
///
/// | bag | read by | written by |
/// |---|---|---|
/// | of a zone | its owner, participants of the zone-wide share | the owner, its administrators |
/// | of a share | the zone's owner, its participants | the owner, its administrators |
/// | of a user, public | every user of the container | the user |
/// | of a user, private | the user | the user |
extension RecordServer {
  /// `keyBags/lookup`: fetches bags in the requested order.
  package func lookUpKeyBags(_ request: KeyBagsLookupRequest, _ call: Call) async throws(CloudError)
    -> KeyBagsResponse
  {
    try checkKeyBags(request.places.count, call)
    let server = self
    let now = dependencies.now()
    return try await read(nil) { transaction in
      let handler = KeyBagHandler(call, server, transaction)
      var measure = ResponseSize(server.limits)
      let items = try request.places.map { place in
        let result = try handler.attempt { try handler.lookUp(place, at: now) }
        try measure.add(result.writtenBytes)
        return KeyBagsResponse.Item(place, result)
      }
      return KeyBagsResponse(items: items, caller: call.callerName)
    }
  }

  /// `keyBags/modify`: saves bags independently of each other, and resets zones.
  package func modifyKeyBags(_ request: KeyBagsModifyRequest, _ call: Call) async throws(CloudError)
    -> KeyBagsResponse
  {
    try checkKeyBags(request.operations.count, call)
    let server = self
    let now = dependencies.now()
    let outcome = try await write(nil) { transaction in
      let handler = KeyBagHandler(call, server, transaction)
      let act = {
        try request.operations.map { operation in
          try handler.attempt { try handler.modify(operation, at: now, transaction) }
        }
      }
      let results =
        try RequestMemory(call)?.once(
          in: transaction, at: now, itemCount: request.operations.count, act: act,
          outcomes: { $0.map(\.reportedOutcome) },
          again: { outcomes in
            try zip(outcomes, request.operations).map { try handler.replay($0, of: $1, at: now) }
          }) ?? act()
      let items = zip(request.operations, results).map { KeyBagsResponse.Item($0.place, $1) }
      return (KeyBagsResponse(items: items, caller: call.callerName), handler.notices)
    }
    if !outcome.1.isEmpty { listener?.zonesChanged(outcome.1) }
    return outcome.0
  }

  private func checkKeyBags(_ count: Int, _ call: Call) throws(CloudError) {
    guard call.scope != .public else {
      throw CloudError(
        .badRequest, "The public database has no encrypted values and no key bags.")
    }
    let permission = Permission.decide(.readKeyBag, by: call.caller, on: .userKeys(isOwn: true))
    if let error = permission.error(hiding: CloudError(.accessDenied, "Key bags are for users.")) {
      throw error
    }
    try limits.check(count, "key bags")
  }
}

extension KeyBagResult {
  /// The approximate size in a response, in which bags are Base64.
  fileprivate var writtenBytes: Int {
    guard case .bag(_, _, let data, _) = self else { return 0 }
    return data.count / 3 * 4
  }

  /// The outcome that is remembered for a replay.
  fileprivate var reportedOutcome: ReportedOutcome {
    switch self {
    case .bag, .saved: .there
    case .reset: .gone
    case .failed(let error): .failed(error)
    }
  }
}

/// Reads and changes key bags in a transaction.
private final class KeyBagHandler {
  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading
  private(set) var notices: [ZoneNotice] = []

  init(_ call: Call, _ server: RecordServer, _ transaction: any StorageReading) {
    self.call = call
    self.server = server
    self.transaction = transaction
  }

  func attempt(_ body: () throws -> KeyBagResult) throws -> KeyBagResult {
    do { return try body() } catch let error as CloudError { return .failed(error) }
  }

  func lookUp(_ place: KeyBagPlace, at now: Timestamp) throws -> KeyBagResult {
    guard let bag = try bag(at: try key(of: place, for: .reading)), !bag.isGone else {
      throw CloudError(.notFound, "There is no such key bag yet. Save one with the generation 0.")
    }
    return .bag(generation: bag.generation, modified: bag.modified, data: bag.data, now: now)
  }

  /// Repeats the outcome of an operation.
  func replay(
    _ reported: ReportedOutcome, of operation: KeyBagsModifyRequest.Operation, at now: Timestamp
  ) throws -> KeyBagResult {
    switch reported {
    case .there: .saved(generation: try generation(of: operation, at: now), modified: now)
    case .gone: .reset
    case .failed(let error): .failed(error)
    }
  }

  /// The generation that a bag got when it was saved, if it is still the current one.
  ///
  /// If another bag was saved since, the result is the generation after the one that the operation
  /// replaced. In the same history this is less than the current generation, so a client that
  /// continues from it gets a conflict and fetches.
  private func generation(of operation: KeyBagsModifyRequest.Operation, at now: Timestamp) throws
    -> Int64
  {
    if case .bag(let generation, _, operation.data, _) = try attempt({
      try lookUp(operation.place, at: now)
    }) {
      return generation
    }
    return StoredKeyBag.generation(
      after: operation.generation, in: try StoreHistory(of: transaction))
  }

  func modify(
    _ operation: KeyBagsModifyRequest.Operation, at now: Timestamp,
    _ transaction: any StorageWriting
  ) throws -> KeyBagResult {
    switch operation.kind {
    case .save: try save(operation, at: now, transaction)
    case .reset: try reset(operation.place, at: now, transaction)
    }
  }

  private func bag(at key: StorageKey) throws -> StoredKeyBag? {
    try transaction.value(of: key).map { try StoredKeyBag(bytes: $0) }
  }

  private func save(
    _ operation: KeyBagsModifyRequest.Operation, at now: Timestamp,
    _ transaction: any StorageWriting
  ) throws -> KeyBagResult {
    let most = server.limits.keyBagBytes
    guard operation.data.count <= most else {
      throw CloudError(
        .badRequest, "The key bag has \(operation.data.count) bytes; at most \(most) are allowed.",
        extension: .limitExceeded)
    }
    guard !operation.data.isEmpty else {
      throw CloudError(.badRequest, "The key bag is empty. Save it with its sealed keys.")
    }
    try check(operation.sealingKeys)
    let key = try key(of: operation.place, for: .writing(transaction))
    let known = try bag(at: key)
    let current = known.map { $0.isGone ? 0 : $0.generation } ?? 0
    guard operation.generation == current else {
      throw CloudError(
        .conflict,
        "The key bag has the generation \(current), not \(operation.generation). Fetch it, seal the keys of both, and save again."
      )
    }
    let generation = StoredKeyBag.generation(
      after: known?.generation ?? 0, in: try StoreHistory(of: transaction))
    let bag = StoredKeyBag(
      generation: generation, modified: now, data: operation.data,
      sealingKeys: operation.sealingKeys)
    try transaction.set(bag.bytes, for: key)
    try noteReaders(of: operation.place)
    return .saved(generation: bag.generation, modified: now)
  }

  private func check(_ sealingKeys: [[UInt8]]) throws(CloudError) {
    guard sealingKeys.count <= ServerLimits.sealingKeys,
      sealingKeys.allSatisfy({ $0.count == KeyIdentifier.byteCount })
    else {
      throw CloudError(
        .badRequest,
        """
        sealingKeys names \(ServerLimits.sealingKeys) keys at most, each by \
        \(KeyIdentifier.byteCount) bytes.
        """
      )
    }
  }

  /// Notifies the participants of a share whose keys were saved.
  private func noteReaders(of place: KeyBagPlace) throws {
    let (reference, shareName): (ZoneReference, String)
    switch place {
    case .zone(let zone): (reference, shareName) = (zone, ShareDetails.zoneShareName)
    case .share(let zone, let name): (reference, shareName) = (zone, name)
    case .publicUser, .privateUser: return
    }
    let zone = reference.identifier(caller: call.callerName)
    let reader = try ZoneReader(zone, call, server, transaction)
    guard let share = try reader.draft.record(shareName)?.share else { return }
    let readers = share.participants.filter { $0.role != .owner && $0.acceptance == .accepted }
      .compactMap(\.identity.userRecordName)
    guard !readers.isEmpty else { return }
    let last = reader.access.zone.lastPosition
    var notice = ZoneNotice(
      call, zone: zone, positions: last..<last, zoneShareName: reader.access.zone.zoneShareName,
      events: [])
    notice.keyReaders = Set(readers)
    notices.append(notice)
  }

  /// Deletes a zone whose keys are lost, because no device can read it.
  ///
  /// Later requests get the reason.
  private func reset(
    _ place: KeyBagPlace, at now: Timestamp, _ transaction: any StorageWriting
  ) throws -> KeyBagResult {
    guard case .zone(let reference) = place else {
      throw CloudError(
        .badRequest,
        "Only the keys of a zone are reset. Save other bags with new contents in their place.")
    }
    let zone = reference.identifier(caller: call.callerName)
    let access = try ZoneFinder(call: call).find(zone, in: transaction)
    let subject = access.subject(of: nil)
    if let error = Permission.decide(.deleteZone, by: call.caller, on: subject)
      .error(hiding: ZoneFinder.notFound(zone))
    {
      throw error
    }
    try ZoneDirectory(database: access.keys.database).delete(
      access.zone, at: now, isReset: true, in: transaction)
    notices.append(
      ZoneNotice(
        call, zone: zone, positions: access.zone.lastPosition..<access.zone.lastPosition,
        zoneShareName: access.zone.zoneShareName, events: []))
    return .reset
  }

  // MARK: Permissions

  private enum Purpose {
    case reading
    case writing(any StorageWriting)

    var action: Action { if case .reading = self { .readKeyBag } else { .writeKeyBag } }
  }

  private func key(of place: KeyBagPlace, for purpose: Purpose) throws -> StorageKey {
    switch place {
    case .zone(let zone): return try zoneKey(zone.identifier(caller: call.callerName), purpose)
    case .share(let zone, let name):
      return try shareKey(name, in: zone.identifier(caller: call.callerName), purpose)
    case .publicUser(let name):
      let name =
        name == RecordZoneIdentifier.currentOwnerName ? call.callerName : name ?? call.callerName
      try check(purpose, on: .userKeys(isOwn: name == call.callerName))
      return DatabaseKeys(realm: call.realm, owner: name).userKeyBag(isPublic: true)
    case .privateUser:
      try check(purpose, on: .userKeys(isOwn: true))
      return DatabaseKeys(realm: call.realm, owner: call.callerName).userKeyBag(isPublic: false)
    }
  }

  private func zoneKey(_ zone: RecordZoneIdentifier, _ purpose: Purpose) throws -> StorageKey {
    // A default zone that was never written is created first.
    if case .writing(let transaction) = purpose {
      _ = try ZoneFinder(call: call).findToWrite(zone, in: transaction)
    }
    let reader = try ZoneReader(zone, call, server, transaction)
    try check(purpose, on: reader.access.subject(of: nil), in: zone)
    return reader.access.keys.keyBag(ofShare: nil)
  }

  private func shareKey(
    _ name: String, in zone: RecordZoneIdentifier, _ purpose: Purpose
  ) throws -> StorageKey {
    let reader = try ZoneReader(zone, call, server, transaction)
    guard let share = try reader.draft.record(name), share.share != nil, reader.shows(share) else {
      throw CloudError(
        .notFound, "There is no share “\(name.cut(toBytes: 64))” in the zone “\(zone.zoneName)”.")
    }
    try check(purpose, on: reader.access.subject(ofShare: share), in: zone)
    return reader.access.keys.keyBag(ofShare: name)
  }

  private func check(
    _ purpose: Purpose, on subject: Subject, in zone: RecordZoneIdentifier? = nil
  ) throws(CloudError) {
    let permission = Permission.decide(purpose.action, by: call.caller, on: subject)
    let missing =
      zone.map(ZoneFinder.notFound) ?? CloudError(.notFound, "There is no such key bag.")
    if let error = permission.error(hiding: missing) { throw error }
  }
}
