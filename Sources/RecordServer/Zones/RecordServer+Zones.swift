package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `zones/list`: all zones of a database.
  package func listZones(_ call: Call) async throws(CloudError) -> ZonesResponse {
    let lister = ZoneLister(call: call)
    let measure = ResponseSize(limits)
    return try await read(
      call.scope == .private ? call.callerName : nil, inTurnsOf: call.caller,
      from: ZoneLister.List?.none
    ) { list, transaction, slice in
      var list = try list ?? ZoneLister.List(try lister.identifiers(transaction), measure)
      while list.results.count < list.zones.count {
        if slice.isSpent { return .paused(list, bytes: 0) }
        slice.visit()
        try list.add(try lister.listed(list.zones[list.results.count], transaction))
      }
      return .done(ZonesResponse(zones: list.results.compactMap(\.self)))
    }
  }

  /// `zones/lookup`: zones by name, in the requested order.
  package func lookUpZones(_ request: ZonesLookupRequest, _ call: Call) async throws(CloudError)
    -> ZonesResponse
  {
    try limits.check(request.zones.count, "zones")
    let lister = ZoneLister(call: call)
    return try await read(call.scope == .private ? call.callerName : nil) { transaction in
      ZonesResponse(
        zones: try request.zones.map {
          try lister.result($0.identifier(caller: call.callerName), transaction)
        })
    }
  }

  /// `zones/modify`: creates and deletes zones independently of each other.
  package func modifyZones(_ request: ZonesModifyRequest, _ call: Call) async throws(CloudError)
    -> ZonesResponse
  {
    try limits.check(request.operations.count, "zones")
    let editor = ZoneEditor(call: call, now: dependencies.now(), limits: limits)
    let outcome = try await write(call.scope == .private ? call.callerName : nil) { transaction in
      guard let memory = RequestMemory(call) else {
        return try editor.outcome(of: request, transaction)
      }
      return try memory.once(
        in: transaction, at: editor.now, itemCount: request.operations.count,
        act: { try editor.outcome(of: request, transaction) },
        outcomes: { $0.results.map(\.reportedOutcome) },
        again: { try ZoneLister(call: call).replay($0, request, transaction) })
    }
    if !outcome.notices.isEmpty { listener?.zonesChanged(outcome.notices) }
    return ZonesResponse(zones: outcome.results)
  }
}

/// The outcome of a request to create and delete zones.
private struct ZonesOutcome: Sendable {
  var results: [ZoneResult]
  var notices: [ZoneNotice] = []
}

extension ZoneResult {
  /// The outcome that is remembered for a replay.
  fileprivate var reportedOutcome: ReportedOutcome {
    switch self {
    case .zone: .there
    case .deleted: .gone
    case .failed(_, let error): .failed(error)
    }
  }
}

/// Lists zones.
private struct ZoneLister: Sendable {
  let call: Call

  /// A list of all zones, which is passed from one slice to the next.
  struct List: Sendable {
    let zones: [RecordZoneIdentifier]
    /// The results of the first zones; nil for zones that the caller lost access to.
    private(set) var results: [ZoneResult?] = []
    private var measure: ResponseSize

    init(_ zones: [RecordZoneIdentifier], _ measure: ResponseSize) {
      (self.zones, self.measure) = (zones, measure)
    }

    mutating func add(_ result: ZoneResult?) throws(CloudError) {
      if let result { try measure.add(ZonesResponse(zones: [result]).bytes.count) }
      results.append(result)
    }
  }

  /// All zones of the database; for a shared database, those of current and former memberships.
  func identifiers(_ transaction: any StorageReading) throws -> [RecordZoneIdentifier] {
    let standard = RecordZoneIdentifier(
      zoneName: RecordZoneIdentifier.defaultZoneName, ownerName: call.callerName)
    switch call.scope {
    case .public: return [standard]
    case .private:
      let database = DatabaseKeys(realm: call.realm, owner: call.callerName)
      let custom = try ZoneDirectory(database: database).zones(in: transaction)
        .filter { $0.deleted == nil && $0.name != standard.zoneName }
        .map { RecordZoneIdentifier(zoneName: $0.name, ownerName: call.callerName) }
      return [standard] + custom
    case .shared:
      let memberships = Memberships(realm: call.realm, user: call.callerName)
      return try memberships.all(transaction).map(\.zone)
    }
  }

  /// A zone's result in a list; nil if the caller has no access.
  func listed(_ zone: RecordZoneIdentifier, _ transaction: any StorageReading) throws -> ZoneResult?
  {
    let result = try result(zone, transaction)
    if case .failed(_, let error) = result, error.code == .zoneNotFound, error.extension == nil {
      return nil
    }
    return result
  }

  /// Repeats the outcomes of operations, with the zones as they are now.
  func replay(
    _ outcomes: [ReportedOutcome], _ request: ZonesModifyRequest, _ transaction: any StorageReading
  ) throws -> ZonesOutcome {
    var outcome = ZonesOutcome(results: [])
    for (operation, reported) in zip(request.operations, outcomes) {
      let zone = operation.zone.identifier(caller: call.callerName)
      switch reported {
      case .there: outcome.results.append(try result(zone, transaction))
      case .gone: outcome.results.append(.deleted(zone))
      case .failed(let error): outcome.results.append(.failed(zone, error))
      }
    }
    return outcome
  }

  func result(_ zone: RecordZoneIdentifier, _ transaction: any StorageReading) throws -> ZoneResult
  {
    do {
      let access = try ZoneFinder(call: call).find(zone, in: transaction)
      return access.zoneResult(for: call)
    } catch let error as CloudError {
      return .failed(zone, error)
    }
  }
}

/// Creates and deletes zones.
private struct ZoneEditor: Sendable {
  let call: Call
  let now: Timestamp
  let limits: ServiceLimits

  func outcome(of request: ZonesModifyRequest, _ transaction: any StorageWriting) throws
    -> ZonesOutcome
  {
    var outcome = ZonesOutcome(results: [])
    for operation in request.operations {
      outcome.results.append(try result(of: operation, transaction, &outcome.notices))
    }
    return outcome
  }

  func result(
    of operation: ZonesModifyRequest.Operation, _ transaction: any StorageWriting,
    _ notices: inout [ZoneNotice]
  ) throws -> ZoneResult {
    let zone = operation.zone.identifier(caller: call.callerName)
    do {
      switch operation.kind {
      case .create: return try create(zone, transaction, &notices)
      case .delete: return try delete(zone, transaction, &notices)
      }
    } catch let error as CloudError {
      return .failed(zone, error)
    }
  }

  private func allow(_ action: Action, _ zone: RecordZoneIdentifier, on subject: Subject)
    throws(CloudError)
  {
    let permission = Permission.decide(action, by: call.caller, on: subject)
    if let error = permission.error(hiding: ZoneFinder.notFound(zone)) { throw error }
  }

  private func subject(_ zone: RecordZoneIdentifier) -> Subject {
    switch call.scope {
    case .public: .publicDatabase
    case .private:
      zone.ownerName == call.callerName
        ? .own(zone.isDefaultZone ? .defaultZone : .customZone) : .otherPrivateDatabase
    case .shared: .others(.participant(.user, .readWrite), .wholeZone)
    }
  }

  /// Creates a zone, unless it exists.
  private func create(
    _ zone: RecordZoneIdentifier, _ transaction: any StorageWriting, _ notices: inout [ZoneNotice]
  ) throws -> ZoneResult {
    // A user's own default zone always exists.
    if !zone.isDefaultZone || call.scope != .private || call.caller != .user(zone.ownerName) {
      try allow(.createZone, zone, on: subject(zone))
    }
    if let defect = CloudName.zoneName.defect(in: zone.zoneName) {
      throw CloudError(
        .badRequest, "The zone name “\(zone.zoneName.asNameInSentence)” \(defect).")
    }
    let directory = ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: zone.ownerName))
    if try directory.zone(named: zone.zoneName, in: transaction) == nil {
      let listed = try directory.known(in: transaction).zones.listed
      let standard = RecordZoneIdentifier(
        zoneName: RecordZoneIdentifier.defaultZoneName, ownerName: zone.ownerName)
      guard listed.hasRoom(for: zone, beside: ListedZones.listedBytes(of: standard), limits) else {
        throw CloudError(
          .quotaExceeded,
          "The database has \(listed.count) zones, which is the maximum (the limits “zones” and “answer-bytes”: one answer lists all). Delete some that are not needed.",
          extension: .limitExceeded)
      }
      let created = try directory.create(zone.zoneName, at: now, in: transaction)
      notices.append(notice(of: created, zone))
    }
    let access = try ZoneFinder(call: call).find(zone, in: transaction)
    return access.zoneResult(for: call)
  }

  private func delete(
    _ zone: RecordZoneIdentifier, _ transaction: any StorageWriting, _ notices: inout [ZoneNotice]
  ) throws -> ZoneResult {
    try ZoneFinder.check(zone)
    if call.scope == .shared { return try leave(zone, transaction, &notices) }
    try allow(.deleteZone, zone, on: subject(zone))
    let directory = ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: zone.ownerName))
    guard let stored = try directory.zone(named: zone.zoneName, in: transaction) else {
      throw ZoneFinder.notFound(zone)
    }
    try directory.delete(stored, at: now, in: transaction)
    notices.append(notice(of: stored, zone))
    return .deleted(zone)
  }

  /// Leaves the zone-wide share of a zone that a participant deletes.
  private func leave(
    _ zone: RecordZoneIdentifier, _ transaction: any StorageWriting, _ notices: inout [ZoneNotice]
  ) throws -> ZoneResult {
    let access = try ZoneFinder(call: call).find(zone, in: transaction)
    guard let share = access.zoneShareName else {
      throw CloudError(
        .accessDenied,
        "Zones are created and deleted by their owners. Leave a share by deleting its record.")
    }
    let draft = ZoneDraft(zone: access.zone, keys: access.keys, transaction: transaction)
    guard var record = try draft.record(share), let details = record.share else {
      throw ZoneFinder.notFound(zone)
    }
    record.share = ShareRules.leave(details, userRecordName: call.callerName)
    record.modified = RecordStamp(time: now, userRecordName: call.callerName)
      .notBefore(record.created)
    draft.save(record)
    try draft.store(in: transaction, at: now)
    try draft.storeZone(in: transaction)
    try details.forgetLinks(notIn: record.share, in: call.realm, transaction)
    var notice = notice(of: draft.zone, zone)
    notice.events = [RecordEvent(event: .update, record: try draft.record(share) ?? record)]
    notice.removedParticipants = ShareRules.removedParticipants(from: details, by: record.share)
    notice.positions = access.zone.lastPosition..<draft.zone.lastPosition
    notices.append(notice)
    return .deleted(zone)
  }

  private func notice(of stored: StoredZone, _ zone: RecordZoneIdentifier) -> ZoneNotice {
    ZoneNotice(
      call, zone: zone, positions: stored.lastPosition..<stored.lastPosition,
      zoneShareName: stored.zoneShareName,
      events: [])
  }
}

extension ZoneAccess {
  /// The zone in a response.
  fileprivate func zoneResult(for call: Call) -> ZoneResult {
    .zone(
      identifier, syncToken: token(for: call),
      shareName: view == .own ? zone.zoneShareName : zoneShareName)
  }

  /// The token of the zone's end.
  private func token(for call: Call) -> String {
    ZoneWalk(isReversed: false, in: self).atEnd.token(of: self, for: call)
  }

  /// The token of the zone's end, if the caller wants it and the zone has a feed.
  func wantedToken(for call: Call) -> String? {
    call.wantsSyncToken && !isPublic && !identifier.isDefaultZone ? token(for: call) : nil
  }

  /// The zone-wide share through which the caller has access.
  var zoneShareName: String? {
    guard case .shared(let shares) = view else { return nil }
    return shares.first(where: \.coversZone)?.shareName
  }
}
