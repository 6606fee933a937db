package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `records/resolve`: returns the metadata of shares, which are given by short identifiers.
  package func resolveShares(
    _ request: SharesResolveRequest, _ call: Call
  ) async throws(CloudError) -> SharesResponse {
    try checkSharing(request.shares, call)
    let server = self
    var refused: [String: CloudError] = [:]
    for wanted in request.shares {
      guard let token = wanted.handover else { continue }
      do throws(CloudError) {
        try await Handovers(self).take(token, forShare: wanted.shortIdentifier, call)
      } catch {
        guard error.code == .accessDenied else { throw error }
        refused[wanted.shortIdentifier] = error
      }
    }
    return try await read { [refused] transaction in
      let handler = ShareHandler(call, server, transaction)
      return SharesResponse(
        results: try handler.measured(request.shares) { wanted in
          try handler.item(wanted) {
            if let error = refused[wanted.shortIdentifier] { throw error }
            return try handler.find(wanted)
          }
        })
    }
  }

  /// `records/accept`: joins shares.
  package func acceptShares(
    _ request: SharesAcceptRequest, _ call: Call
  ) async throws(CloudError) -> SharesResponse {
    try await changeShares(request.shares, call) { handler, wanted, name, now, transaction in
      try handler.accept(wanted, name: name, at: now, transaction)
    }
  }

  /// `records/requestAccess`: requests access to shares from their owners.
  package func requestAccess(
    _ request: SharesRequestAccessRequest, _ call: Call
  ) async throws(CloudError) -> SharesResponse {
    try await changeShares(request.shares, call) { handler, wanted, _, now, transaction in
      try handler.requestAccess(wanted, at: now, transaction)
    }
  }

  /// Changes each of the given shares, and notifies listeners.
  private func changeShares(
    _ shares: [ShareLookup], _ call: Call,
    _ change:
      @escaping @Sendable (ShareHandler, ShareLookup, String, Timestamp, any StorageWriting) throws
      ->
      ShareHandler.Changed
  ) async throws(CloudError) -> SharesResponse {
    try checkSharing(shares, call)
    let server = self
    let now = dependencies.now()
    let names = shares.map { _ in dependencies.makeName() }
    let outcome = try await write(nil) { transaction -> (SharesResponse, [ZoneNotice]) in
      let handler = ShareHandler(call, server, transaction)
      var notices: [ZoneNotice] = []
      let act = {
        try handler.measured(zip(shares, names)) { wanted, name in
          try handler.item(wanted) {
            let changed = try change(handler, wanted, name, now, transaction)
            if let notice = changed.notice { notices.append(notice) }
            return changed.found
          }
        }
      }
      // Shares are joined through the public database and left through the shared one: both count
      // as one database for request numbers.
      let results =
        try RequestMemory(call, isOfUser: true)?.once(
          in: transaction, at: now, itemCount: shares.count, act: act,
          outcomes: { $0.map(\.reportedOutcome) },
          again: { try handler.measured(zip($0, shares)) { try handler.replay($0, of: $1) } })
        ?? act()
      return (SharesResponse(results: results), notices)
    }
    if !outcome.1.isEmpty { listener?.zonesChanged(outcome.1) }
    return outcome.0
  }

  private func read<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws(CloudError) -> Result {
    try await read(nil, body)
  }

  private func checkSharing(_ shares: [ShareLookup], _ call: Call) throws(CloudError) {
    let permission = Permission.decide(.resolveShare, by: call.caller, on: .link(.uninvited(.none)))
    if let error = permission.error(hiding: CloudError(.accessDenied, "Shares are for users.")) {
      throw error
    }
    try limits.check(shares.count, "shares")
  }
}

extension SharesResponse.Item {
  /// The outcome that is remembered for a replay.
  fileprivate var reportedOutcome: ReportedOutcome {
    switch self {
    case .share: .there
    case .failed(_, let error): .failed(error)
    }
  }
}

/// Finds and joins shares in a transaction.
private struct ShareHandler {
  /// A share, in its zone.
  struct Found {
    var place: SharePlace
    var draft: ZoneDraft
    var record: StoredRecord
    var share: ShareDetails
  }

  /// A share after a change, and the notice for listeners.
  typealias Changed = (found: Found, notice: ZoneNotice?)

  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading

  init(_ call: Call, _ server: RecordServer, _ transaction: any StorageReading) {
    self.call = call
    self.server = server
    self.transaction = transaction
  }

  /// The response item of one share, or its error.
  func item(_ wanted: ShareLookup, _ body: () throws -> Found) throws -> SharesResponse.Item {
    do {
      return .share(try metadata(try body(), wanted))
    } catch let error as CloudError {
      return .failed(shortIdentifier: wanted.shortIdentifier, error)
    }
  }

  /// The response items of several shares.
  ///
  /// - Throws: If the response would be too long. Nothing is changed, and the client can retry with
  ///   fewer shares.
  func measured<Lookup>(
    _ lookups: some Sequence<Lookup>, _ item: (Lookup) throws -> SharesResponse.Item
  ) throws -> [SharesResponse.Item] {
    var measure = ResponseSize(server.limits)
    return try lookups.map { lookup in
      let item = try item(lookup)
      try measure.add(SharesResponse(results: [item]).bytes.count)
      return item
    }
  }

  /// Repeats an outcome, with the share as it is now.
  func replay(_ reported: ReportedOutcome, of wanted: ShareLookup) throws -> SharesResponse.Item {
    if case .failed(let error) = reported {
      return .failed(shortIdentifier: wanted.shortIdentifier, error)
    }
    return try item(wanted) { try find(wanted) }
  }

  private static func missing(_ wanted: ShareLookup) -> CloudError {
    CloudError(
      .notFound,
      "There is no share with the short name “\(wanted.shortIdentifier.cut(toBytes: 64))”.")
  }

  func find(_ wanted: ShareLookup) throws -> Found {
    let missing = Self.missing(wanted)
    guard
      let place = try ShortNames(realm: call.realm).place(
        of: wanted.shortIdentifier, in: transaction)
    else {
      throw missing
    }
    let database = DatabaseKeys(realm: call.realm, owner: place.zone.ownerName)
    guard let bytes = try transaction.value(of: database.zone(place.zoneNumber)) else {
      throw missing
    }
    let zone = try StoredZone(bytes: bytes)
    let keys = ZoneKeys(database: database, number: zone.number)
    let draft = ZoneDraft(zone: zone, keys: keys, transaction: transaction)
    // A later share with the name of an ended one has another link.
    guard zone.deleted == nil, let record = try draft.record(place.shareName),
      let share = record.share, record.shareNames.contains(wanted.shortIdentifier)
    else { throw missing }
    return Found(place: place, draft: draft, record: record, share: share)
  }

  private func visitor(by wanted: ShareLookup) throws -> ShareVisitor {
    let user = try UserDirectory(realm: call.realm).user(of: call.caller, in: transaction)
    var visitor = ShareVisitor(named: call.callerName, user)
    visitor.oneTimeName = wanted.shortIdentifier
    return visitor
  }

  func accept(
    _ wanted: ShareLookup, name: String, at now: Timestamp, _ transaction: any StorageWriting
  ) throws -> Changed {
    var found = try find(wanted)
    let joined = try ShareRules.accept(
      found.share, by: try visitor(by: wanted), proof: wanted.joinProof, limits: server.limits,
      hiding: Self.missing(wanted), makeIdentifier: { name })
    let (zone, number) = (found.place.zone, found.place.zoneNumber)
    guard zone.ownerName != call.callerName else {
      return (found, try applyChange(joined, &found, at: now, transaction))
    }
    let memberships = Memberships(realm: call.realm, user: call.callerName)
    try memberships.checkRoom(for: zone, number: number, server.limits, transaction)
    let notice = try applyChange(joined, &found, at: now, transaction)
    try memberships.join(
      found.place.shareName, in: zone, number: number, server.limits, transaction)
    return (found, notice)
  }

  func requestAccess(
    _ wanted: ShareLookup, at now: Timestamp, _ transaction: any StorageWriting
  ) throws -> Changed {
    var found = try find(wanted)
    let asked = try ShareRules.requestAccess(
      found.share, by: try visitor(by: wanted), limits: server.limits,
      hiding: Self.missing(wanted))
    let notice = try applyChange(asked, &found, at: now, transaction)
    return (found, notice)
  }

  /// Stores the changed participants of a share.
  ///
  /// - Returns: The notice for listeners; nil if nothing changed.
  private func applyChange(
    _ changed: ShareDetails, _ found: inout Found, at now: Timestamp,
    _ transaction: any StorageWriting
  ) throws -> ZoneNotice? {
    guard changed != found.share else { return nil }
    var noted = changed
    ShareRules.recordVisibility(in: &noted, since: found.share, at: found.draft.zone.lastPosition)
    ShareRules.recordAdditions(in: &noted, since: found.share, at: now)
    try found.share.forgetLinks(notIn: noted, in: call.realm, transaction)
    found.share = noted
    found.record.share = noted
    found.record.modified = RecordStamp(time: now, userRecordName: call.callerName).notBefore(
      found.record.created)
    let notice = try store(found, at: now, transaction)
    found.record = try found.draft.record(found.place.shareName) ?? found.record
    return notice
  }

  private func store(_ found: Found, at now: Timestamp, _ transaction: any StorageWriting) throws
    -> ZoneNotice
  {
    let before = found.draft.zone.lastPosition
    // Shares are accepted through the public database, and stored in private ones.
    var inPrivate = call
    inPrivate.scope = .private
    found.draft.save(found.record)
    try found.draft.store(in: transaction, at: now)
    try found.draft.storeZone(in: transaction)
    return ZoneNotice(
      inPrivate, zone: found.place.zone, positions: before..<found.draft.zone.lastPosition,
      zoneShareName: found.draft.zone.zoneShareName,
      events: [RecordEvent(event: .update, record: found.record)])
  }

  // MARK: Metadata

  private func metadata(_ found: Found, _ wanted: ShareLookup) throws -> ShareMetadata {
    let invitation = ShareRules.invitation(of: try visitor(by: wanted), to: found.share)
    let permission = Permission.decide(
      .resolveShare, by: call.caller, on: .link(invitation.standing))
    if let error = permission.error(hiding: Self.missing(wanted)) { throw error }
    let isOwner = found.place.zone.ownerName == call.callerName
    let access = ZoneAccess(
      identifier: found.place.zone, keys: found.draft.keys, zone: found.draft.zone,
      view: isOwner ? .own : .shared([]))
    var view = RecordView(
      access: access, caller: call.caller, serverAddress: call.serverAddress,
      addresses: server.addresses,
      sealer: server.sealer)
    let share = try view.show(found.record)
    view.desiredKeys = wanted.desiredKeys.map { Set($0) }
    let showsRoot =
      wanted.wantsRoot
      && Permission.decide(.readRecord, by: call.caller, on: .link(invitation.standing)) == .allowed
    let root = showsRoot ? try found.share.rootName.flatMap { try found.draft.record($0) } : nil
    var metadata = ShareMetadata(
      shortIdentifier: wanted.shortIdentifier, container: call.container,
      scope: isOwner ? .private : .shared,
      zone: found.place.zone, share: share, rootName: found.share.rootName,
      root: try root.map { try view.show($0) },
      owner: owner(of: found.share),
      role: .user, acceptance: .invited, permission: .none)
    switch invitation {
    case .owner:
      (metadata.role, metadata.acceptance, metadata.permission) = (.owner, .accepted, .readWrite)
    case .participant(let known):
      (metadata.role, metadata.acceptance, metadata.permission) = (
        known.role, known.acceptance, known.permission
      )
    case .open(let permission): (metadata.role, metadata.permission) = (.publicUser, permission)
    case .unknown(let matches): (metadata.acceptance, metadata.potentialMatches) = (nil, matches)
    case .concealed: metadata.acceptance = nil
    }
    return metadata
  }

  private func owner(of share: ShareDetails) -> UserIdentity {
    var identity = share.participants.first { $0.role == .owner }?.identity ?? UserIdentity()
    identity.lookupInfo = nil
    return identity
  }
}
