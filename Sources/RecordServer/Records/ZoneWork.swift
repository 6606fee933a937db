import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

/// The operations of a batch on one zone.
final class ZoneWork {
  let access: ZoneAccess
  let draft: ZoneDraft
  let batch: RecordBatch
  let schema: SchemaCopy
  let user: StoredUser?
  let receipts: any AssetReceipts
  let quota: QuotaLedger
  let cascades: CascadeLedger
  let transaction: any StorageReading
  let sealing: RecordSealing
  /// The keys under which devices may seal values.
  var sealingKeys: SealingKeys
  /// The position of the client's feed token when it made the request; nil if it did not send one.
  let knownPosition: UInt64?
  /// The changes of records, for listeners.
  @safe @exclusivity(unchecked) var events: [RecordEvent] = []
  /// The users who lost access through a share that the batch changed or ended.
  var removedParticipants: Set<String> = []
  /// The short identifiers of one-time links that the batch ended.
  var endedLinks: [String] = []
  /// The participants that get an invitation by mail, with their shares.
  var mailed: [(shareName: String, participant: String)] = []
  /// The cached roles of users whose references were checked.
  var knownRoles: [String: [String]] = [:]
  /// The outlines of deleted records, by the name of the record that an operation deleted.
  ///
  /// The outlines of records that cascades deleted follow that of the operation's record.
  var gone: [String: [StoredRecord]] = [:]
  /// The records that the draft creates although their operations have failed.
  var failedCreations: Set<String> = []

  init(
    _ access: ZoneAccess, _ batch: RecordBatch, _ schema: SchemaCopy,
    _ transaction: any StorageReading,
    user: StoredUser?, receipts: any AssetReceipts, sealer: ValueSealer, quota: QuotaLedger,
    cascades: CascadeLedger, knownPosition: UInt64?
  ) {
    self.access = access
    self.batch = batch
    self.schema = schema
    self.user = user
    self.receipts = receipts
    self.quota = quota
    self.cascades = cascades
    sealing = RecordSealing(sealer, in: access.keys)
    sealingKeys = SealingKeys(of: access.keys, in: transaction)
    self.transaction = transaction
    self.knownPosition = knownPosition
    draft = ZoneDraft(zone: access.zone, keys: access.keys, transaction: transaction)
  }

  func startOver() {
    draft.startOver(with: access.zone)
    events = []
    removedParticipants = []
    (endedLinks, mailed) = ([], [])
    (gone, failedCreations) = ([:], [])
  }

  var caller: Caller { batch.call.caller }
}

// MARK: - Operations

extension ZoneWork {
  func carryOut(_ item: RecordBatch.Item, at index: Int) throws {
    // This check precedes any lookup, so that hidden and missing records give the same error.
    if access.isPublic, caller == .anonymous {
      try allow(.changeRecord, on: .publicRecord(grants: .write))
    }
    let name = item.identifier.recordName
    let existing = try draft.record(name)
    switch item.operation.kind {
    case .create:
      if let existing { throw collision(with: existing) }
      try checkIsNotGone(name)
      try create(item)
    case .update, .replace:
      let existing = try known(existing, item)
      try checkTag(item, existing)
      try change(existing, item, replaces: item.operation.kind == .replace)
    case .forceUpdate, .forceReplace:
      guard let existing else { return try create(item) }
      guard isVisible(existing) else { throw collision(with: existing) }
      try change(existing, item, replaces: item.operation.kind == .forceReplace)
    case .delete:
      if existing == nil, isAlreadyDeleted(name) { return }
      let existing = try known(existing, item)
      try checkTag(item, existing)
      try delete(existing)
    case .forceDelete:
      if let existing, isVisible(existing) { return try delete(existing) }
      try deleteNothing(name, isFree: existing == nil)
    }
  }

  /// Handles the deletion of a record that does not exist for the caller.
  ///
  /// The deletion succeeds.
  ///
  /// - Parameter isFree: Whether no record has the name.
  private func deleteNothing(_ name: String, isFree: Bool) throws {
    guard isFree, remembersAbsence, !draft.isChanged(name) else { return }
    quota.take(Int64(name.utf8.count), of: access.keys.database)
    draft.mark(name)
  }

  /// Throws if the record was deleted after the state that the client knew.
  ///
  /// A creation that was cancelled and sent again may arrive after its record was deleted.
  func checkIsNotGone(_ name: String) throws {
    guard let knownPosition, let deletion = try draft.deletion(of: name), deletion > knownPosition
    else { return }
    throw CloudError(
      .notFound,
      "The record “\(name)” was deleted in the zone “\(access.identifier.zoneName)” since the request was made. Read the zone's feed, and create the record again if it is still wanted."
    )
  }

  /// Whether deleting a missing record leaves a tombstone, since the request that creates the
  /// record may still arrive.
  var remembersAbsence: Bool { knownPosition != nil && access.view == .own }

  func notFound(_ name: String) -> CloudError {
    CloudError(
      .notFound, "There is no record “\(name)” in the zone “\(access.identifier.zoneName)”.")
  }

  /// Returns the record of an operation, or throws if it does not exist for the caller.
  func known(_ record: StoredRecord?, _ item: RecordBatch.Item) throws(CloudError) -> StoredRecord {
    guard let record, isVisible(record) else { throw notFound(item.identifier.recordName) }
    return record
  }

  func isVisible(_ record: StoredRecord) -> Bool {
    if access.isPublic {
      return !grants(record.recordType, creator: record.created.userRecordName).isDisjoint(with: [
        .read, .write,
      ])
    }
    let action: Action = record.share == nil ? .readRecord : .readShare
    return Permission.decide(action, by: caller, on: subject(of: record)) != .hidden
  }

  func collision(with existing: StoredRecord) -> CloudError {
    // If the caller may not see the record, the error only says that the name is unavailable.
    isVisible(existing)
      ? CloudError(.exists, "record to insert already exists: “\(existing.recordName)”")
      : CloudError(
        .accessDenied, "A record with this name cannot be created here. Use another name.")
  }

  func checkTag(_ item: RecordBatch.Item, _ existing: StoredRecord) throws(CloudError) {
    guard let tag = item.operation.record.recordChangeTag else {
      throw CloudError(
        .badRequest,
        "The operation \(item.operation.kind.rawValue) on “\(existing.recordName)” needs the record's recordChangeTag. Fetch the record first, or use a forced operation."
      )
    }
    guard tag == RecordTag.text(existing.tag) else {
      // A type of the public database may grant write access without read access.
      let isReadable =
        !access.isPublic
        || grants(existing.recordType, creator: existing.created.userRecordName).contains(.read)
      let now = isReadable ? "; it has \(RecordTag.text(existing.tag)) now" : ""
      throw CloudError(
        .conflict,
        "The record “\(existing.recordName)” was changed since the tag \(tag)\(now). Fetch it, merge, and save again."
      )
    }
  }
}

// MARK: - Permission

extension ZoneWork {
  func allow(_ action: Action, on subject: Subject) throws(CloudError) {
    let permission = Permission.decide(action, by: caller, on: subject)
    if let error = permission.error(hiding: ZoneFinder.notFound(access.identifier)) { throw error }
  }

  func subject(of record: StoredRecord) -> Subject {
    if access.isPublic {
      return .publicRecord(
        grants: grants(record.recordType, creator: record.created.userRecordName))
    }
    return record.share == nil ? access.subject(of: record) : access.subject(ofShare: record)
  }

  /// The subject of a record's creation: a new record is covered by its parent's share.
  func creationSubject(of record: StoredRecord) throws -> Subject {
    if access.isPublic { return .publicRecord(grants: grants(record.recordType, creator: nil)) }
    let parent = try record.parentName.flatMap { try draft.record($0) }
    return access.subject(of: nil, coveringShareName: try parent.flatMap { try draft.covering($0) })
  }

  var shareSubject: Subject {
    access.isPublic ? .publicDatabase : access.subject(of: nil)
  }

  func grants(_ recordType: String, creator: String?) -> RecordPermissions {
    let type = schema.schema[type: recordType] ?? .learned(name: recordType)
    return type.grants.permissions(
      roles: user?.roles ?? [], isSignedIn: caller.userRecordName != nil,
      isCreator: creator != nil && creator == caller.userRecordName)
  }
}

// MARK: - References

extension ZoneWork {
  /// Whether a record's references constrain the caller's deletion of their target.
  func constrains(_ source: StoredRecord, _ target: StoredRecord) throws -> Bool {
    guard access.isPublic else { return true }
    return try ReferenceRule.constrains(
      authors: [source.created.userRecordName, source.modified.userRecordName],
      owner: target.created.userRecordName, deleter: caller.userRecordName
    ) { author in
      let type = schema.schema[type: target.recordType] ?? .learned(name: target.recordType)
      let roles = try roles(of: author)
      return type.grants.permissions(roles: roles, isSignedIn: true, isCreator: false).contains(
        .write)
    }
  }

  private func roles(of user: String) throws -> [String] {
    if let known = knownRoles[user] { return known }
    let roles =
      try UserDirectory(realm: batch.call.realm).user(named: user, in: transaction)?.roles ?? []
    knownRoles[user] = roles
    return roles
  }
}

// MARK: - Finishing

extension ZoneWork {
  /// Prepares the draft for storing.
  ///
  /// - Returns: The records whose children need another covering share afterwards.
  func finish() throws -> [CoverageWalk.Root] { try draft.coverChanges() }
}
