import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

/// One record on its way to the server: what is sent, and how the result is applied.
struct RecordSave: Sendable {
  let record: CKRecord
  /// The record's state when the save started.
  ///
  /// The app may change the record meanwhile.
  let sent: RecordState
  /// The asset fields after the upload, by name.
  ///
  /// They are sent in place of the original ones.
  var uploaded: [String: FieldContent] = [:]
  /// The sealed files that are uploaded, by the paths of the originals.
  var sealedFiles: [String: AssetFile] = [:]
  /// The server's share with the local changes, so that participants who joined since the fetch are
  /// kept.
  var merged: MergedShare?
  /// The values that this device seals; nil for none.
  var toSeal: RecordToSeal?
  /// The sealed values of encrypted fields.
  var sealed = RecordFields()
  /// The stamps of the sealed values, and of encrypted fields that are removed.
  var seals = SealStamps()
  /// The generation of the keys that sealed values and files; nil if nothing was sealed or it is
  /// unknown.
  var keyGeneration: Int64?
  /// The values of encrypted fields that the server encrypts.
  var open = RecordFields()
  let policy: CKModifyRecordsOperation.RecordSavePolicy

  init(_ record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy) {
    self.record = record
    self.policy = policy
    var sent = record.state.withLock { $0 }
    // Participants are mutable objects, so copy them.
    sent.sharing = sent.sharing?.copied()
    self.sent = sent
  }

  /// The names of the fields to send.
  var keys: [String] {
    switch policy {
    case .allKeys:
      sent.plain.contents.keys.sorted()
        + sent.plain.changed.filter { sent.plain.contents[$0] == nil }.sorted()
    default: sent.plain.changed.sorted()
    }
  }

  var encryptedKeys: [String] {
    switch policy {
    case .allKeys:
      sent.encrypted.contents.keys.sorted()
        + sent.encrypted.changed.filter { sent.encrypted.contents[$0] == nil }.sorted()
    default: sent.encrypted.changed.sorted()
    }
  }

  /// The server's share with the local changes, and the version they are based on.
  struct MergedShare: Sendable {
    var sharing: Sharing
    var changeTag: String
  }

  /// Whether the save changes fields of an existing record regardless of its version.
  ///
  /// A deleted record must not be recreated with these fields alone.
  var changesKnownRecord: Bool { policy == .changedKeys && sent.changeTag != nil }

  /// The share's properties to send.
  var sharing: Sharing? { merged?.sharing ?? sent.sharing }

  /// The version that the server compares; nil for no comparison.
  var expectedTag: String? {
    merged?.changeTag ?? (policy == .ifServerRecordUnchanged ? sent.changeTag : nil)
  }

  /// The fields that the answer has to contain; nil for all.
  ///
  /// After a save of the version that the app had, the server's record is that version with the
  /// sent fields. Only the server's descriptions of uploaded files are new. With another policy, or
  /// for a share, the saved record may have further values that the app lacks.
  var keysToReturn: Set<String>? {
    policy == .ifServerRecordUnchanged && sent.sharing == nil ? Set(uploaded.keys) : nil
  }

  private var kind: RecordOperation.Kind {
    if merged != nil { return .update }
    guard policy == .ifServerRecordUnchanged else { return .forceUpdate }
    return sent.changeTag == nil ? .create : .update
  }

  // MARK: Sending

  /// The stamps of the version that is changed: empty for a new record, nil if the record is saved
  /// over any version.
  var knownSeals: SealStamps? {
    guard policy == .ifServerRecordUnchanged else { return nil }
    return isNew ? [:] : sent.seals
  }

  /// Whether the save creates a record, and changes none.
  var isNew: Bool { policy == .ifServerRecordUnchanged && sent.changeTag == nil }

  /// Throws if a value or the parent cannot be transmitted.
  func checkValues(_ coding: RecordCoding) throws(CKError) {
    if isParentSent, let parent = sent.parent?.recordID.zoneID,
      coding.identifier(parent) != coding.identifier(sent.recordID.zoneID)
    {
      throw CKError(
        .invalidArguments,
        """
        The parent of “\(sent.recordID.recordName)” is in the zone “\(parent.zoneName)” of \
        \(parent.ownerName). A record and its parent are in one zone.
        """)
    }
    let plain = keys.map { ($0, sent.plain.contents[$0]) }
    let encrypted = encryptedKeys.map { ($0, sent.encrypted.contents[$0]) }
    for (key, content) in plain + encrypted {
      guard let defect = content?.defect else { continue }
      throw CKError(
        .invalidArguments,
        "The field \(sent.recordType).\(key) \(defect), which cannot be transmitted. Set another value."
      )
    }
  }

  /// The values of encrypted fields before sealing.
  func valuesToSeal(_ coding: RecordCoding) throws(CKError) -> RecordFields {
    var fields = RecordFields()
    for key in encryptedKeys {
      guard let value = try value(sent.encrypted.contents[key], key, coding) else { continue }
      fields[key] = Field(value, isEncrypted: true)
    }
    return fields
  }

  /// The files to seal, with their fields.
  var filesToSeal: [(key: String, path: String)] {
    assetsToSend.compactMap { key, _, asset in
      guard asset.isSealed, let path = asset.fileURL?.path else { return nil }
      return asset.stored == nil || FileVersion(path) != nil ? (key, path) : nil
    }
  }

  /// The assets that the server may lack for this record.
  var assetsToSend: [(key: String, place: Int, asset: CKAsset)] {
    var wanted: [(key: String, place: Int, asset: CKAsset)] = []
    for key in keys {
      let found = uploaded[key]?.assets
      for (place, asset) in (sent.plain.contents[key]?.assets ?? []).enumerated()
      where !isHeld(asset) {
        if found.map({ $0[place] === asset }) ?? true { wanted.append((key, place, asset)) }
      }
    }
    return wanted
  }

  /// Whether the server's record certainly contains the file: the version that is changed has it,
  /// and no other version is overwritten.
  private func isHeld(_ asset: CKAsset) -> Bool {
    guard let stored = asset.stored, policy == .ifServerRecordUnchanged, sent.changeTag != nil
    else { return false }
    return sent.unchanged.plain.contents.values.contains {
      $0.assets.contains {
        $0.stored?.fileChecksum == stored.fileChecksum && $0.stored?.size == stored.size
      }
    }
  }

  private var isParentSent: Bool {
    sent.isParentChanged || sent.changeTag == nil && sent.parent != nil
  }

  /// The operation to send.
  func operation(_ coding: RecordCoding) throws(CKError) -> RecordOperation {
    var input = RecordInput()
    input.recordName = coding.recordName(sent.recordID)
    // A forced update with a type would create a missing record.
    input.recordType = changesKnownRecord ? nil : sent.recordType
    input.recordChangeTag = expectedTag
    input.zone = coding.reference(sent.recordID.zoneID)
    let encryptedKeys = encryptedKeys
    // A plain value that an encrypted value of the same field replaces is not cleared separately.
    for key in keys where sent.plain.contents[key] != nil || !encryptedKeys.contains(key) {
      let content = uploaded[key] ?? sent.plain.contents[key]
      input.fields.append(.init(name: key, field: try field(content, key, coding)))
    }
    for key in encryptedKeys {
      let field = sealed[key].map {
        FieldInput(.stated($0.value), isEncrypted: true, isOpaqueCiphertext: true)
      }
      let open = open[key].map { FieldInput(.stated($0.value), isEncrypted: true) }
      input.fields.append(.init(name: key, field: field ?? open ?? FieldInput(.clear)))
    }
    if isParentSent {
      input.parent = sent.parent.map { .record($0.recordID.recordName) } ?? .none
    }
    if let sharing { coding.fill(&input, sharing, isNew: sent.changeTag == nil) }
    var operation = RecordOperation(kind, input)
    operation.keyGeneration = keyGeneration
    return operation
  }

  private func value(_ content: FieldContent?, _ key: String, _ coding: RecordCoding)
    throws(CKError) -> FieldValue?
  {
    guard let content else { return nil }
    guard let value = coding.value(content, in: sent.recordID.zoneID) else {
      throw CKError(
        .assetFileNotFound,
        "The asset in \(sent.recordType).\(key) has no file that could be uploaded.")
    }
    return value
  }

  private func field(_ content: FieldContent?, _ key: String, _ coding: RecordCoding)
    throws(CKError) -> FieldInput
  {
    guard let value = try value(content, key, coding) else { return FieldInput(.clear) }
    if case .list(_, let members) = value, members.isEmpty { return FieldInput(.emptyList) }
    return FieldInput(.stated(value))
  }

  // MARK: Results

  /// Whether the record has encrypted values that are not sent.
  var hasOtherEncryptedValues: Bool {
    !Set(sent.encrypted.contents.keys).isSubset(of: encryptedKeys)
  }

  /// Applies the server's result to the record.
  ///
  /// Fields that the app has not changed adopt the values of the saved version, because other
  /// clients may have changed them.
  ///
  /// - Parameters:
  ///   - isOpened: Whether the encrypted values of the saved record could be decrypted.
  ///   - mayBeOthers: Whether another client may have saved the record since, as after a retry.
  ///     Sent fields may contain its values then.
  ///   - hasAllFields: Whether the result has all fields, and not just `keysToReturn`.
  func finish(
    _ saved: CKRecord, isOpened: Bool = true, mayBeOthers: Bool = false, hasAllFields: Bool = true
  ) {
    let saved = saved.state.withLock { $0 }
    let (sentKeys, sentSealed) = (Set(keys), Set(encryptedKeys))
    let own = mayBeOthers ? sentKeys.filter { isSaved($0, in: saved) } : sentKeys
    let ownSealed = mayBeOthers ? sentSealed.filter { isSavedSealed($0, in: saved) } : sentSealed
    record.state.withLock { state in
      state.changeTag = saved.changeTag
      state.created = saved.created
      state.modified = saved.modified
      state.share = saved.share
      state.settleParent(saved.parent, sent: sent.parent)
      if let sharing = saved.sharing {
        state.sharing = sharing.changed(as: state.sharing, since: sent.sharing)
      }
      Self.settle(&state.plain, sent.plain, sentKeys)
      for key in uploaded.keys where own.contains(key) && !state.plain.changed.contains(key) {
        state.plain.contents[key] = uploaded[key]?.stored(as: saved.plain.contents[key])
      }
      if hasAllFields { Self.follow(saved.plain, &state.plain, sentKeys, but: own) }
      Self.settle(&state.encrypted, sent.encrypted, sentSealed)
      state.seals.replace(by: isOpened && !saved.seals.isEmpty ? saved.seals : seals)
      // Values that could not be decrypted may be unchanged, so the record keeps its own.
      if isOpened, hasAllFields {
        Self.follow(
          saved.encrypted, &state.encrypted, sentSealed,
          but: ownSealed.union(saved.unopened?.fields ?? []))
      }
    }
  }

  /// Marks sent fields as unchanged, except those that the app has set again.
  private static func settle(
    _ fields: inout RecordState.Fields, _ sent: RecordState.Fields, _ keys: Set<String>
  ) {
    let same = keys.filter { fields.contents[$0] == sent.contents[$0] }
    fields.forget(same)
    for key in keys.subtracting(same) { fields.before[key] = sent.contents[key] }
  }

  /// Adopts the server's values.
  ///
  /// If the app has changed a field meanwhile, only the original value is replaced.
  ///
  /// - Parameter own: The sent fields whose values the server stored as sent.
  private static func follow(
    _ saved: RecordState.Fields, _ fields: inout RecordState.Fields, _ sent: Set<String>,
    but own: Set<String>
  ) {
    for key in sent.union(fields.contents.keys)
    where !own.contains(key) && !fields.changed.contains(key) {
      if !fields.contents[key].matches(saved.contents[key]) {
        fields.contents[key] = saved.contents[key]
      }
    }
    for key in sent.union(fields.before.keys)
    where !own.contains(key) && fields.changed.contains(key) {
      fields.before[key] = saved.contents[key]
    }
  }

  /// Creates a conflict error with the app's record, the server's record and their ancestor.
  func conflict(_ server: CKRecord?, _ error: CloudError) -> CKError {
    var details = CKError(error).userInfo
    details[CKRecordChangedErrorClientRecordKey] = record
    details[CKRecordChangedErrorServerRecordKey] = server
    details[NSUnderlyingErrorKey] = server?.state.withLock(\.unopened)?.error
    if sent.changeTag != nil { details[CKRecordChangedErrorAncestorRecordKey] = ancestor }
    return CKError(.serverRecordChanged, userInfo: details)
  }

  /// The record before the changes.
  private var ancestor: CKRecord {
    let former = sent.unchanged
    return former.sharing == nil ? CKRecord(former) : CKShare(former)
  }

  /// Whether the server's record is what was sent, so that an earlier attempt succeeded and its
  /// response was lost.
  func isDone(by server: CKRecord) -> Bool {
    let there = server.state.withLock { $0 }
    guard there.modified?.user.recordName == CKCurrentUserDefaultName || there.modified == nil
    else { return false }
    guard there.unopened?.fields.isDisjoint(with: encryptedKeys) ?? true else { return false }
    if sent.isParentChanged, sent.parent?.recordID.recordName != there.parent?.recordID.recordName {
      return false
    }
    if let sharing, sharing.isChanged, !sharing.isGranted(by: there.sharing) { return false }
    return keys.allSatisfy { isSaved($0, in: there) }
      && encryptedKeys.allSatisfy { isSavedSealed($0, in: there) }
  }

  /// Whether a field of the server's record has the sent value.
  private func isSaved(_ key: String, in there: RecordState) -> Bool {
    (uploaded[key] ?? sent.plain.contents[key]).matches(there.plain.contents[key])
  }

  private func isSavedSealed(_ key: String, in there: RecordState) -> Bool {
    sent.encrypted.contents[key].matches(there.encrypted.contents[key])
  }
}

extension FieldContent {
  /// The local files with the server's descriptions.
  fileprivate func stored(as saved: FieldContent?) -> FieldContent {
    switch (self, saved) {
    case (.asset(let own), .asset(let theirs)?):
      .asset(CKAsset(own, stored: theirs.stored, origin: theirs.origin))
    case (.list(let own), .list(let theirs)?) where own.count == theirs.count:
      .list(zip(own, theirs).map { $0.stored(as: $1) })
    default: self
    }
  }
}

extension FieldContent? {
  /// Whether a sent value equals the received one.
  ///
  /// Dates have milliseconds on the wire, and assets are compared by checksum.
  fileprivate func matches(_ other: FieldContent?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (.date(let one)?, .date(let two)?): abs(one.timeIntervalSince(two)) < 0.001
    case (.asset(let one)?, .asset(let two)?): one.stored?.fileChecksum == two.stored?.fileChecksum
    case (.location(let one)?, .location(let two)?): LocationValue(one) == LocationValue(two)
    case (.list(let one)?, .list(let two)?):
      one.count == two.count && zip(one, two).allSatisfy { Optional($0).matches($1) }
    default: self == other
    }
  }
}
