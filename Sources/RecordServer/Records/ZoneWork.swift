import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

/// The operations of a batch on one zone.
final class ZoneWork {
  let access: ZoneAccess
  let draft: ZoneDraft
  private let batch: RecordBatch
  private let schema: SchemaCopy
  private let user: StoredUser?
  private let receipts: any AssetReceipts
  /// What happened to records, for those who listen.
  private var events: [RecordEvent] = []

  init(
    _ access: ZoneAccess, _ batch: RecordBatch, _ schema: SchemaCopy, _ transaction: any StorageReading,
    user: StoredUser?, receipts: any AssetReceipts
  ) {
    self.access = access
    self.batch = batch
    self.schema = schema
    self.user = user
    self.receipts = receipts
    draft = ZoneDraft(zone: access.zone, keys: access.keys, transaction: transaction)
  }

  func startOver() {
    draft.startOver(with: access.zone)
    events = []
  }

  private var caller: Caller { batch.call.caller }
}

// MARK: - Operations

extension ZoneWork {
  func carryOut(_ item: RecordBatch.Item, at index: Int) throws {
    let name = item.identifier.recordName
    let existing = try draft.record(name)
    switch item.operation.kind {
    case .create:
      if let existing { throw collision(with: existing) }
      try create(item)
    case .update, .replace:
      let existing = try known(existing, item)
      try checkTag(item, existing)
      try change(existing, item, replaces: item.operation.kind == .replace)
    case .forceUpdate, .forceReplace:
      guard let existing else { return try create(item) }
      try change(existing, item, replaces: item.operation.kind == .forceReplace)
    case .delete:
      let existing = try known(existing, item)
      try checkTag(item, existing)
      try delete(existing)
    case .forceDelete: try delete(try known(existing, item))
    }
  }

  private func notFound(_ name: String) -> CloudError {
    CloudError(.notFound, "There is no record “\(name)” in the zone “\(access.identifier.zoneName)”.")
  }

  /// The record that an operation is about, if the caller may know of it.
  private func known(_ record: StoredRecord?, _ item: RecordBatch.Item) throws(CloudError) -> StoredRecord {
    guard let record, isVisible(record) else { throw notFound(item.identifier.recordName) }
    return record
  }

  private func isVisible(_ record: StoredRecord) -> Bool {
    let action: Action = record.share == nil ? .readRecord : .readShare
    return access.isPublic || Permission.decide(action, by: caller, on: subject(of: record)) != .hidden
  }

  private func collision(with existing: StoredRecord) -> CloudError {
    // Who may not see the record learns only that the name is not to be had.
    isVisible(existing)
      ? CloudError(.exists, "record to insert already exists: “\(existing.recordName)”")
      : CloudError(.accessDenied, "A record of this name cannot be made here. Use another name.")
  }

  private func checkTag(_ item: RecordBatch.Item, _ existing: StoredRecord) throws(CloudError) {
    guard let tag = item.operation.record.recordChangeTag else {
      throw CloudError(
        .badRequest,
        "The operation \(item.operation.kind.rawValue) on “\(existing.recordName)” needs the record's recordChangeTag. Fetch the record first, or use a forced operation."
      )
    }
    guard tag == RecordTag.text(existing.tag) else {
      throw CloudError(
        .conflict,
        "The record “\(existing.recordName)” was changed since the tag \(tag); it has \(RecordTag.text(existing.tag)) now. Fetch it, merge, and save again."
      )
    }
  }
}

// MARK: - Creating and changing

extension ZoneWork {
  private func create(_ item: RecordBatch.Item) throws {
    let input = item.operation.record
    guard let type = input.recordType else {
      throw CloudError(.badRequest, "The record “\(item.identifier.recordName)” is new: it needs a recordType.")
    }
    let stamp = stamp(input)
    var record = StoredRecord(
      recordName: item.identifier.recordName, recordType: type, tag: 0, created: stamp, modified: stamp,
      fields: RecordFields())
    if type == SystemType.users.rawValue, record.recordName != caller.userRecordName {
      throw CloudError(.accessDenied, "Records of users are made by the server, one for each user.")
    }
    try setParent(of: &record, input)
    if type == ShareDetails.recordType {
      try allow(.createShare, on: shareSubject)
      try merge(input, into: &record, replaces: true)
      try createShare(&record, input)
    } else {
      try allow(.createRecord, on: creationSubject(of: record))
      try merge(input, into: &record, replaces: true)
    }
    draft.save(record)
    events.append(RecordEvent(event: .create, record: record))
  }

  private func change(_ existing: StoredRecord, _ item: RecordBatch.Item, replaces: Bool) throws {
    let input = item.operation.record
    if let type = input.recordType, type != existing.recordType {
      throw CloudError(
        .badRequest,
        "The record “\(existing.recordName)” is of the type \(existing.recordType), which never changes to \(type).")
    }
    var record = existing
    record.modified = stamp(input)
    if existing.share != nil {
      try changeShare(&record, input)
    } else {
      try allow(.changeRecord, on: subject(of: existing))
      try setParent(of: &record, input)
      if record.parentName != existing.parentName { try allow(.createRecord, on: creationSubject(of: record)) }
    }
    try merge(input, into: &record, replaces: replaces)
    draft.save(record)
    events.append(RecordEvent(event: .update, record: record))
  }

  private func stamp(_ input: RecordInput) -> RecordStamp {
    RecordStamp(
      time: batch.now, userRecordName: caller.userRecordName ?? "", deviceIdentifier: input.deviceIdentifier ?? "")
  }

  private func merge(_ input: RecordInput, into record: inout StoredRecord, replaces: Bool) throws {
    let place = SavePlace(environment: batch.call.container.environment, database: batch.call.scope)
    schema.learn(
      try schema.schema.check(
        RecordMerge.written(input.fields, recordType: record.recordType), in: place, limits: batch.limits))
    let held = record.fields
    record.fields = try RecordMerge.fields(
      input.fields, over: record.fields, replaces: replaces, as: schema.schema[type: record.recordType])
    try AssetRules(receipts: receipts, held: held).check(&record)
    let size = StoredEntry.record(record).bytes.count
    guard size <= batch.limits.recordBytes else {
      throw CloudError(
        .badRequest,
        "record too large: “\(record.recordName)” has \(size) bytes; \(batch.limits.recordBytes) is the most. Keep large values in assets.",
        extension: .limitExceeded)
    }
  }

  private func setParent(of record: inout StoredRecord, _ input: RecordInput) throws(CloudError) {
    switch input.parent {
    case .unchanged: break
    case .none: record.parentName = nil
    case .record(let name):
      guard !access.isPublic else {
        throw CloudError(.badRequest, "Records of the public database have no parents, since they are not shared.")
      }
      guard name != record.recordName else { throw CloudError(.badRequest, "A record cannot be its own parent.") }
      record.parentName = name
    }
  }
}

// MARK: - Permission

extension ZoneWork {
  private func allow(_ action: Action, on subject: Subject) throws(CloudError) {
    let permission = Permission.decide(action, by: caller, on: subject)
    if let error = permission.error(hiding: ZoneFinder.notFound(access.identifier)) { throw error }
  }

  private func subject(of record: StoredRecord) -> Subject {
    if access.isPublic {
      return .publicRecord(grants: grants(record.recordType, creator: record.created.userRecordName))
    }
    return record.share == nil ? access.subject(of: record) : access.subject(ofShare: record)
  }

  /// A new record belongs to the share of its parent.
  private func creationSubject(of record: StoredRecord) throws -> Subject {
    if access.isPublic { return .publicRecord(grants: grants(record.recordType, creator: nil)) }
    let parent = try record.parentName.flatMap { try draft.record($0) }
    return access.subject(of: nil, coveringShareName: try parent.flatMap { try covering($0) })
  }

  private var shareSubject: Subject {
    access.isPublic ? .publicDatabase : access.subject(of: nil)
  }

  private func grants(_ recordType: String, creator: String?) -> RecordPermissions {
    let type = schema.schema[type: recordType] ?? .learnt(name: recordType)
    return type.grants.permissions(
      roles: user?.roles ?? [], isSignedIn: caller.userRecordName != nil,
      isCreator: creator != nil && creator == caller.userRecordName)
  }

  /// The share that covers a record as the draft has it: its own, or that of its nearest ancestor that has one.
  private func covering(_ record: StoredRecord) throws -> String? {
    var next: StoredRecord? = record
    var seen: Set<String> = []
    // A share of a record belongs to itself: whoever takes part in it sees it.
    if let share = record.share { return share.rootName == nil ? nil : record.recordName }
    while let record = next, seen.insert(record.recordName).inserted {
      if let share = record.shareName { return share }
      next = try record.parentName.flatMap { try draft.record($0) }
    }
    return nil
  }
}

// MARK: - Deleting

extension ZoneWork {
  private func delete(_ record: StoredRecord) throws {
    if record.share != nil { return try endOrLeave(record) }
    try allow(.deleteRecord, on: subject(of: record))
    if let share = try record.shareName.flatMap({ try draft.record($0) }) { remove(share) }
    try cascade(from: record)
  }

  private func remove(_ record: StoredRecord) {
    draft.delete(record.recordName)
    events.append(RecordEvent(event: .delete, record: record))
  }

  /// Deletes a record, and those that refer to it so that they go with it.
  private func cascade(from first: StoredRecord) throws {
    var queue = [first]
    var count = 0
    remove(first)
    while let record = queue.popLast() {
      let sources = try draft.references(to: record.recordName).filter { $0.action == .deleteSelf }
      guard sources.count <= batch.limits.cascadesPerTarget else {
        throw CloudError(
          .badRequest,
          "\(sources.count) records refer to “\(record.recordName)” and go with it; \(batch.limits.cascadesPerTarget) is the most. Delete them in several requests first.",
          extension: .limitExceeded)
      }
      try draft.load(sources.map(\.source))
      for source in sources {
        guard let next = try draft.record(source.source) else { continue }
        remove(next)
        queue.append(next)
        count += 1
      }
    }
  }

  /// Looks whether what an operation needs is there, now that the whole batch was carried out.
  func checkLinks(of item: RecordBatch.Item) throws {
    let name = item.identifier.recordName
    if let record = try draft.record(name) {
      guard draft.isChanged(name) else { return }
      try checkTargets(of: record)
      if record.share != nil { try tieToRoot(record, item.operation.record) }
    } else if draft.isChanged(name) {
      try checkNothingIsLeft(behind: name)
    }
  }

  private func checkTargets(of record: StoredRecord) throws {
    if let parent = record.parentName {
      guard try draft.record(parent) != nil else {
        throw CloudError(
          .validatingReferenceError,
          "The parent “\(parent)” of “\(record.recordName)” does not exist. Save it in the same request or before.")
      }
      try checkAncestors(of: record)
    }
    for entry in record.fields { try checkZone(of: entry.field.value, in: entry.name, record) }
    for link in record.outgoing where link.action == .validate {
      guard try draft.record(link.target) == nil else { continue }
      throw CloudError(
        .validatingReferenceError,
        "The field \(link.field) of “\(record.recordName)” refers to “\(link.target)”, which does not exist.")
    }
  }

  private func checkAncestors(of record: StoredRecord) throws {
    var seen: Set<String> = [record.recordName]
    var next = record.parentName
    while let name = next {
      guard seen.insert(name).inserted else {
        throw CloudError(.badRequest, "The record “\(record.recordName)” would be its own ancestor.")
      }
      next = try draft.record(name)?.parentName
    }
  }

  private func checkZone(of value: FieldValue, in field: String, _ record: StoredRecord) throws(CloudError) {
    switch value {
    case .reference(let reference):
      guard let zone = reference.zone, zone.zoneName != access.identifier.zoneName else { return }
      throw CloudError(
        .badRequest,
        "The field \(field) of “\(record.recordName)” refers to the zone “\(zone.zoneName)”. References stay within their zone."
      )
    case .list(of: .reference, let members):
      for member in members { try checkZone(of: member, in: field, record) }
    default: return
    }
  }

  private func checkNothingIsLeft(behind name: String) throws {
    if let child = try draft.children(of: name).first {
      throw CloudError(
        .validatingReferenceError,
        "“\(name)” is the parent of “\(child)”. Delete its children in the same request or before.")
    }
    if let source = try draft.references(to: name).first(where: { $0.action == .validate }) {
      throw CloudError(
        .validatingReferenceError,
        "The field \(source.field) of “\(source.source)” refers to “\(name)” and forbids its deletion.")
    }
  }
}

// MARK: - Shares

extension ZoneWork {
  private func proposal(_ input: RecordInput) -> ShareRules.Proposal {
    let participants = input.participants?.map { given in
      ShareRules.ProposedParticipant(
        identifier: given.identifier, identity: given.identity, role: given.role, permission: given.permission,
        acceptance: given.acceptance)
    }
    return ShareRules.Proposal(publicPermission: input.publicPermission, participants: participants)
  }

  private func createShare(_ record: inout StoredRecord, _ input: RecordInput) throws {
    guard let identity = user?.identity else { throw CloudError(.authenticationRequired, "Sharing needs a user.") }
    let names = batch.names(for: record.recordName)
    let isZoneShare = record.recordName == ShareDetails.zoneShareName
    record.share = try ShareRules.create(
      owner: identity, rootName: isZoneShare ? nil : input.root?.recordName, proposal: proposal(input),
      limits: batch.limits, makeIdentifier: names.next)
    record.shortIdentifier = names.next()
    if isZoneShare {
      try shareZone(record)
    } else {
      guard input.root != nil else {
        throw CloudError(
          .badRequest,
          "A share needs forRecord, the record that it is for; the share of a whole zone is named \(ShareDetails.zoneShareName)."
        )
      }
      try shareRecord(record)
    }
  }

  private func shareZone(_ share: StoredRecord) throws(CloudError) {
    guard draft.zone.recordShareCount == 0 else {
      throw CloudError(
        .badRequest, "The zone has shares of single records, so it cannot be shared as a whole. End them first.",
        extension: .alreadyShared)
    }
    draft.changeZone { $0.zoneShareName = share.recordName }
  }

  private func shareRecord(_ share: StoredRecord) throws(CloudError) {
    guard draft.zone.zoneShareName == nil else {
      throw CloudError(
        .badRequest, "The zone is shared as a whole, so its records cannot be shared one by one.",
        extension: .alreadyShared)
    }
    draft.changeZone { $0.recordShareCount += 1 }
  }

  /// Ties a new share to its root, which the batch may have made after the share.
  private func tieToRoot(_ share: StoredRecord, _ input: RecordInput) throws {
    guard let wanted = input.root, let rootName = share.share?.rootName else { return }
    guard var root = try draft.record(rootName) else {
      throw CloudError(.notFound, "Cannot share - no such record exists to share: “\(rootName)”")
    }
    if root.shareName == share.recordName { return }
    if let tag = wanted.recordChangeTag, !draft.isChanged(rootName), tag != RecordTag.text(root.tag) {
      throw CloudError(.conflict, "The record “\(rootName)” was changed since the tag \(tag).")
    }
    guard try covering(root) == nil else {
      throw CloudError(
        .badRequest, "The record “\(rootName)” belongs to a share already.", extension: .alreadyShared)
    }
    root.shareName = share.recordName
    root.shortIdentifier = share.shortIdentifier
    draft.save(root)
  }

  private func changeShare(_ record: inout StoredRecord, _ input: RecordInput) throws {
    guard let share = record.share else { return }
    let subject = access.subject(ofShare: record)
    let wanted = proposal(input)
    let names = batch.names(for: record.recordName)
    let changed = try ShareRules.change(share, wanted, limits: batch.limits, makeIdentifier: names.next)
    let changesPeople = changed.participants != share.participants
    let changesOthers = changed.publicPermission != share.publicPermission || !input.fields.isEmpty
    if changesPeople { try allow(.manageParticipants, on: subject) }
    if changesOthers || !changesPeople { try allow(.changeShare, on: subject) }
    record.share = changed
  }

  /// The owner ends a share by deleting its record; a participant leaves it.
  private func endOrLeave(_ record: StoredRecord) throws {
    guard let share = record.share else { return }
    let subject = access.subject(ofShare: record)
    if case .own = subject {
      try allow(.endShare, on: subject)
      if let root = try share.rootName.flatMap({ try draft.record($0) }), root.shareName == record.recordName {
        var freed = root
        freed.shareName = nil
        freed.shortIdentifier = nil
        draft.save(freed)
      }
      draft.changeZone { zone in
        if zone.zoneShareName == record.recordName { zone.zoneShareName = nil } else { zone.recordShareCount -= 1 }
      }
      return remove(record)
    }
    try allow(.leaveShare, on: subject)
    var left = record
    left.share = ShareRules.leave(share, userRecordName: caller.userRecordName ?? "")
    left.modified = RecordStamp(time: batch.now, userRecordName: caller.userRecordName ?? "")
    draft.save(left)
    events.append(RecordEvent(event: .update, record: left))
  }
}

// MARK: - Ending

extension ZoneWork {
  /// Makes the draft ready to be stored.
  ///
  /// - Returns: What happened to records.
  func finish() throws -> [RecordEvent] {
    try spreadCoverage()
    return events
  }

  /// Says of each record to which share it belongs now, from what changed down to the last descendant.
  private func spreadCoverage() throws {
    var queue = draft.changedNames
    var index = 0
    while index < queue.count {
      defer { index += 1 }
      guard var record = try draft.record(queue[index]) else { continue }
      let now = try covering(record)
      guard now != record.coveringShareName else { continue }
      if let before = record.coveringShareName, !record.formerShareNames.contains(before) {
        record.formerShareNames.append(before)
      }
      record.formerShareNames.removeAll { $0 == now }
      record.coveringShareName = now
      draft.restamp(record)
      queue += try draft.children(of: record.recordName)
    }
  }
}
