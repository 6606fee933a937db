package import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

/// Seals and opens the encrypted values of a session.
///
/// The keys are loaded when the first encrypted value occurs, so apps without such values never
/// request any. If the server encrypts, values pass unchanged and there are no keys.
package final class RecordVault: Sendable {
  /// Whether values are encrypted on this device and not by the server.
  let isOnDevice: Bool
  private let session: Mutex<WeakSession>
  private let makeStore: StoreMaker
  private let presentKeys: PresentKeys
  private let opened = Mutex<Task<EncryptionEngine, any Error>?>(nil)
  private let progress = Mutex(Progress())
  /// The task that reseals the values that an earlier process left.
  private let leftover = Mutex<Task<Void, Never>?>(nil)
  /// The task that delivers keys to new participants.
  private let deliveries = Mutex<Task<Void, Never>?>(nil)

  /// A weak reference to the session, which owns the vault.
  private struct WeakSession {
    weak var session: CloudSession?
  }

  /// Opens the key store when the first key is needed.
  package typealias StoreMaker = @Sendable () throws(EncryptionError) -> any KeyStore

  /// Reads an account's existing keys without creating a store.
  package typealias PresentKeys =
    @Sendable (EncryptionAccount) throws(EncryptionError) -> StoredKeys

  /// Creates a vault.
  ///
  /// - Parameters:
  ///   - isOnDevice: Whether values are encrypted on this device and not by the server.
  ///   - makeStore: Opens the key store.
  ///   - presentKeys: Reads existing keys. If the server encrypts values, existing keys show that
  ///     this device has sealed values before.
  package init(
    isOnDevice: Bool = true, makeStore: @escaping StoreMaker,
    presentKeys: @escaping PresentKeys = { _ in StoredKeys() }
  ) {
    self.isOnDevice = isOnDevice
    self.makeStore = makeStore
    self.presentKeys = presentKeys
    session = Mutex(WeakSession())
  }

  func serve(_ session: CloudSession) { self.session.withLock { $0.session = session } }

  // MARK: Values

  /// Sealed fields with the stamps of the save, and the generation of the user's keys.
  ///
  /// The generation is nil if it is unknown.
  typealias Sealed = (record: SealedRecord, keyGeneration: Int64?)

  /// Seals the encrypted fields of records, and signs them together.
  ///
  /// - Returns: The fields of each record, or the error that concerns it alone.
  func seal(
    _ records: [RecordToSeal], _ options: CallOptions
  ) async throws(CKError) -> [Result<Sealed, CKError>] {
    let scopes = Set(records.map { KeyScope(zone: $0.record.zone, shareName: $0.shareName) })
    for scope in scopes.sorted() where progress.withLock({ $0.doubted.contains(scope) }) {
      try await withEngine(options) { try await $0.refreshKeys(of: scope) }
      _ = progress.withLock { $0.doubted.remove(scope) }
    }
    return try await withEngine(options) { engine in
      // Read before sealing: if the keys change meanwhile, the server rejects the older generation.
      let generation = await engine.keyGeneration
      return try await engine.seal(records).map { result in
        result.map { ($0, generation) }.mapError { CKError(encryption: $0) }
      }
    }
  }

  /// Whether this device has keys of the user.
  ///
  /// A device without them has sealed nothing, and has removed no sealed value.
  func usesKeys(_ options: CallOptions) async throws(CKError) -> Bool {
    if isInUse { return true }
    return try await presentKeys(options).map { !$0.isEmpty } ?? false
  }

  /// The user's keys on this device; nil if no user is signed in.
  private func presentKeys(_ options: CallOptions) async throws(CKError) -> StoredKeys? {
    guard let session = session.withLock(\.session),
      let user = try await session.userRecordName(options)
    else { return nil }
    let account = EncryptionAccount(container: session.address.container, userRecordName: user)
    do throws(EncryptionError) { return try presentKeys(account) } catch {
      throw CKError(encryption: error)
    }
  }

  /// Records that the server applied a save of this device.
  func recordSave(_ stamps: SealStamps, of record: RecordIdentifier) async {
    if !stamps.isEmpty { await (try? engine())?.recordSave(stamps, of: record) }
  }

  /// Opens the encrypted fields of a record.
  ///
  /// - Parameter wanted: The fields that the request asked for; nil for all.
  /// - Throws: `CKError.notSealed` if a value is not sealed although it is marked as encrypted or
  ///   was sealed before. Such a value could be forged.
  func open(
    _ record: CloudRecord, wanted: Set<String>? = nil, _ options: CallOptions
  ) async throws(CKError) -> CloudRecord {
    guard isOnDevice else { return record }
    let unsealed = (Self.unsealedFields(of: record) + (await fieldsInPlain(record))).sorted()
    guard unsealed.isEmpty else { throw CKError.notSealed(unsealed, record.identifier.recordName) }
    guard record.fields.contains(where: \.field.isEncrypted) else {
      await noteEmpty(record, wanted)
      return record
    }
    let (opened, older) = try await withEngine(options) { engine in
      (try await engine.open(record, wanted: wanted), await engine.takeOlderRecords())
    }
    if !older.isEmpty { postOlder(older) }
    return opened
  }

  /// The plain fields that this process has seen sealed.
  private func fieldsInPlain(_ record: CloudRecord) async -> [String] {
    guard isInUse, let engine = try? await engine() else { return [] }
    return await engine.plainFieldsSeenSealed(record)
  }

  /// Passes a record without sealed values to the engine, which may have seen sealed values of it.
  private func noteEmpty(_ record: CloudRecord, _ wanted: Set<String>?) async {
    guard isInUse, let engine = try? await engine() else { return }
    _ = try? await engine.open(record, wanted: wanted)
    let older = await engine.takeOlderRecords()
    if !older.isEmpty { postOlder(older) }
  }

  /// Posts a notification that the server has shown earlier versions of records.
  private func postOlder(_ records: Set<RecordIdentifier>) {
    let coding = RecordCoding(currentUser: session.withLock(\.session)?.knownUserRecordName)
    post(
      CKContainer.Encryption.olderRecordsShown, CKContainer.Encryption.recordIDsKey,
      records.map { coding.recordID($0) })
  }

  /// Opens the sealed fields of a record, and leaves out encrypted fields that no device has
  /// sealed.
  func openSealed(_ record: CloudRecord, _ options: CallOptions) async throws(CKError)
    -> CloudRecord
  {
    guard isOnDevice else { return record }
    var sealed = Self.sealedAlone(record)
    for name in await fieldsInPlain(record) { sealed.fields[name] = nil }
    let wanted = Set(sealed.fields.filter(\.field.isEncrypted).map(\.name))
    return try await open(sealed, wanted: wanted, options)
  }

  /// Opens those encrypted fields of a record that can be opened, and leaves out the others.
  func openEach(_ record: CloudRecord, _ options: CallOptions) async -> (
    CloudRecord, unopened: Set<String>
  ) {
    var (opened, unopened) = (record, Set(await fieldsInPlain(record)))
    var shown: [KnownSave] = []
    for entry in record.fields where entry.field.isEncrypted {
      var part = record
      part.fields = RecordFields()
      part.fields[entry.name] = entry.field
      do throws(CKError) {
        let result = try await open(part, wanted: [entry.name], options)
        opened.fields[entry.name] = result.fields[entry.name]
        if let stamp = result.seals[entry.name] {
          shown.append(KnownSave(field: entry.name, stamp: stamp))
        }
        for save in result.seals { opened.seals.record(save.stamp, of: save.field) }
      } catch {
        unopened.insert(entry.name)
      }
    }
    // A value of another version does not belong to the record, although it opens alone.
    unopened.formUnion(opened.seals.fields(after: shown))
    // The other stamps name the values that the server leaves out or shows in plain.
    unopened.formUnion(
      opened.seals.map(\.field).filter { record.fields[$0]?.isEncrypted != true })
    for field in unopened { opened.fields[field] = nil }
    return (opened, unopened)
  }

  /// Throws if the server encrypts values although this device has keys of the user.
  ///
  /// Otherwise, values that were sealed until now would be sent unencrypted.
  func checkServerMayEncrypt(_ options: CallOptions) async throws(CKError) {
    guard !isOnDevice, let session = session.withLock(\.session) else { return }
    let keys = try await presentKeys(options)
    if keys?.isEmpty == false { throw CKError.sealedBefore(session.address) }
  }

  private static func unsealedFields(of record: CloudRecord) -> [String] {
    record.fields.filter { $0.field.isEncrypted && !SealedValue.isSealed($0.field.value) }
      .map(\.name)
  }

  private static func sealedAlone(_ record: CloudRecord) -> CloudRecord {
    var sealed = record
    for name in unsealedFields(of: record) { sealed.fields[name] = nil }
    return sealed
  }

  /// Whether any field of a record is sealed under a key other than the newest of its scope.
  func needsResealing(
    _ record: CloudRecord, shareName: String?, _ options: CallOptions
  ) async throws(CKError) -> Bool {
    let sealed = Self.sealedAlone(record)
    return try await withEngine(options) {
      try await $0.needsResealing(sealed, shareName: shareName)
    }
  }

  /// Removes and returns the shares and zones that need resealing.
  func takeMarkedScopes() -> Set<KeyScope> {
    progress.withLock { progress in
      defer { progress.markedScopes = [] }
      return progress.markedScopes
    }
  }

  /// Marks a share or zone for resealing.
  func markForResealing(_ scope: KeyScope) {
    _ = progress.withLock { $0.markedScopes.insert(scope) }
  }

  /// Persists the mark, in case this process ends before it has resealed the values.
  func persistMark(_ scope: KeyScope) async {
    // If this fails, the process still reseals the values unless it ends early.
    try? await engine().markForResealing(scope)
  }

  /// Persists a mark for the zone of a deleted share, whose records belong to the zone afterwards.
  func persistMark(ofDeleted share: RecordIdentifier) async {
    let scope = KeyScope(zone: share.zone, shareName: share.recordName)
    if progress.withLock({ $0.shareTags[scope] != nil }) {
      await persistMark(KeyScope(zone: share.zone))
    }
  }

  /// Removes the persisted mark, unless the scope was marked again.
  func clearMark(_ scope: KeyScope) async {
    if progress.withLock({ $0.markedScopes.contains(scope) }) { return }
    // A remaining mark only makes the next process scan the zone.
    try? await engine().clearResealingMark(scope)
  }

  /// Waits until the resealing that an earlier process left is done, or cannot proceed for now.
  package func leftoverResealingIsDone() async { await leftover.withLock(\.self)?.value }

  /// Resumes the resealing of an earlier process without waiting for the next encrypted value.
  func resumeLeftoverResealing() async {
    // On failure, the next encrypted value resumes the resealing.
    guard let engine = try? await engine(), (try? await engine.scopesToReseal())?.isEmpty == false
    else { return }
    try? await start(engine)
  }

  /// Reseals in the background the values that an earlier process left.
  private func resealLeftover() {
    guard let session = session.withLock(\.session) else { return }
    let task = Task {
      await DatabaseWork(session: session, scope: .private).resealMarkedScopes(held: [])
    }
    leftover.withLock { $0 = task }
  }

  /// Whether the vault has found the user's keys, as it does for the first encrypted value.
  var isInUse: Bool { progress.withLock(\.isReady) }

  /// Whether the participants of a share or zone have been given the keys.
  func hasDeliveredKeys(of zone: RecordZoneIdentifier, _ shareName: String?) -> Bool {
    progress.withLock { $0.delivered.contains(KeyScope(zone: zone, shareName: shareName)) }
  }

  /// Delivers the keys of a modified share to its participants.
  ///
  /// The share is saved even if this fails. Sealing the next value for the share retries and
  /// reports the error.
  func redeliverKeys(of share: CKShare, _ coding: RecordCoding, _ options: CallOptions) async {
    let scope = scope(of: share, coding)
    progress.withLock { progress in
      progress.delivered.remove(scope)
      let isNew = progress.shareTags.updateValue(share.recordChangeTag ?? "", forKey: scope) == nil
      // Records that join the share are sealed under the zone's keys, which participants lack.
      if isNew, scope.shareName != nil { progress.markedScopes.insert(scope) }
    }
    try? await deliverKeys(of: share, coding, options)
  }

  /// Records the people that the program invited and removed by saving a share, with their
  /// permissions and roles.
  ///
  /// If that fails, these people wait in `keyRequests`.
  func recordDecisions(
    of sent: Sharing, savedAs share: CKShare, in database: DatabaseScope, _ coding: RecordCoding
  ) async {
    guard isOnDevice else { return }
    let decisions = sent.decisions(savedAs: share.participants) { coding.userRecordName($0) }
    guard !decisions.isEmpty else { return }
    let scope = scope(of: share, coding)
    guard database == .private else {
      // Only an administrator whom the owner has certified succeeds. Otherwise the owner's device
      // changes the keys.
      guard isInUse, !decisions.people.isEmpty || !decisions.removed.isEmpty else { return }
      try? await engine().administer(scope, decisions)
      return
    }
    try? await engine().decide(on: scope, decisions)
  }

  /// Notes a fetched share, and delivers its keys if it has changed.
  ///
  /// Participants may have joined or left.
  func observe(_ share: CKShare, in database: DatabaseScope, _ coding: RecordCoding) {
    guard isOnDevice else { return }
    let (scope, guests) = (scope(of: share, coding), Self.guests(of: share, coding))
    let isInUse = progress.withLock { progress in
      guard
        progress.shareTags.updateValue(share.recordChangeTag ?? "", forKey: scope)
          != share.recordChangeTag
      else { return false }
      if database == .private {
        progress.delivered.remove(scope)
        progress.changed[scope] = guests
      } else {
        progress.doubted.insert(scope)
      }
      return progress.isReady
    }
    if isInUse { deliverKeysOfChangedShares() }
  }

  /// Delivers keys to new participants in the background, so that they need not wait for the
  /// owner's next encrypted value.
  ///
  /// On failure, sealing the next value for the share retries.
  private func deliverKeysOfChangedShares() {
    let changed = progress.withLock { progress in
      defer { progress.changed = [:] }
      return progress.changed
    }
    guard !changed.isEmpty else { return }
    deliveries.withLock { deliveries in
      let former = deliveries
      deliveries = Task {
        await former?.value
        for (scope, guests) in changed.sorted(by: { $0.key < $1.key }) {
          guard let engine = try? await engine(), (try? await engine.localRing(of: scope)) != nil
          else { continue }
          try? await deliver(scope, to: guests, CallOptions())
        }
      }
    }
  }

  /// Waits until the observed new participants have their keys, or cannot get them for now.
  package func keyDeliveriesAreDone() async { await deliveries.withLock(\.self)?.value }

  /// Revokes the keys of a deleted share from its participants.
  func revokeKeysOfDeletedShare(_ share: RecordIdentifier, _ options: CallOptions) async {
    let scope = KeyScope(zone: share.zone, shareName: share.recordName)
    let wasShare = progress.withLock { progress in
      progress.delivered.remove(scope)
      return progress.shareTags.removeValue(forKey: scope) != nil
    }
    guard wasShare else { return }
    // Records of a hierarchy share belong to the zone now.
    markForResealing(KeyScope(zone: share.zone))
    if scope.shareName == nil { try? await deliver(scope, to: Guests(), options) }
  }

  /// Returns the key engine; nil if it is not open and the device has recorded no invitations.
  ///
  /// So programs that neither share nor encrypt create no key store.
  func engineWithInvitations(_ options: CallOptions) async -> EncryptionEngine? {
    guard isOnDevice else { return nil }
    if opened.withLock({ $0 == nil }) {
      guard (try? await presentKeys(options))?.hasInvitations == true else { return nil }
    }
    return try? await engine()
  }

  private func scope(of share: CKShare, _ coding: RecordCoding) -> KeyScope {
    KeyScope(zone: coding.identifier(share.recordID.zoneID), shareName: share.recordID.recordName)
  }

  /// Removes the keys of deleted zones.
  func forgetKeys(of zones: Set<RecordZoneIdentifier>) async {
    guard isInUse, !zones.isEmpty else { return }
    progress.withLock { progress in
      progress.delivered = progress.delivered.filter { !zones.contains($0.zone) }
      progress.shareTags = progress.shareTags.filter { !zones.contains($0.key.zone) }
    }
    // Remaining keys are useless but harmless.
    guard let engine = try? await engine() else { return }
    for zone in zones.sorted() { try? await engine.forgetKeys(of: zone) }
    await engine.sendState()
  }

  /// Removes the keys of zones whose encrypted data the user has reset.
  ///
  /// The user may have reset everything, so this device compares its own keys with the server's
  /// before their next use.
  func handleReset(of zones: Set<RecordZoneIdentifier>) async {
    guard !zones.isEmpty else { return }
    await forgetKeys(of: zones)
    progress.withLock { $0.areKeysDoubted = true }
  }

  /// Handles the server's report that the user's keys were replaced: compares them with the
  /// server's.
  ///
  /// - Returns: An error that says why this device cannot seal, or, if it has the current keys,
  ///   that the records must be saved again.
  func handleReplacedKeys(_ options: CallOptions) async -> CKError {
    progress.withLock { $0.areKeysDoubted = true }
    do throws(CKError) {
      try await withEngine(options) { _ in }
      return CKError(
        .zoneBusy,
        userInfo: [
          NSLocalizedDescriptionKey:
            "The user's keys changed while values were sealed. Save the records again.",
          CKErrorRetryAfterKey: NSNumber(value: 1.0),
        ])
    } catch {
      return error
    }
  }

  /// Makes the engine compare the zone's keys with the server's before their next use, because the
  /// server rejected a value under an old key.
  func recheckKeys(of zone: RecordZoneIdentifier) async {
    await (try? engine())?.recheckKeys(of: zone)
  }

  /// Forgets all state of the old keys after a reset.
  func forgetKeyState() { progress.withLock { $0 = Progress() } }

  /// Marks all keys as undelivered, after a change of the trusted keys or of the key policy.
  ///
  /// Sealing the next value delivers them.
  package func markKeysUndelivered() { progress.withLock { $0.delivered = [] } }

  /// Handles a zone or share that the server reports as missing.
  ///
  /// A hostile server may hide a share so that a removed participant's key stays in use. So the
  /// engine makes a new key for a shared zone or share, and delivers it to no participant.
  func handleMissingShare(
    of zone: RecordZoneIdentifier, _ shareName: String?, _ options: CallOptions
  ) async throws(CKError) {
    let scope = KeyScope(zone: zone, shareName: shareName)
    if try await withEngine(options, { try await $0.localRing(of: scope) })?.isShared == true {
      try await deliver(scope, to: Guests(), options)
    } else {
      _ = progress.withLock { $0.delivered.insert(scope) }
    }
  }

  /// Delivers the keys of a share to its participants.
  func deliverKeys(of share: CKShare, _ coding: RecordCoding, _ options: CallOptions)
    async throws(CKError)
  {
    try await deliver(scope(of: share, coding), to: Self.guests(of: share, coding), options)
  }

  private static func guests(of share: CKShare, _ coding: RecordCoding) -> Guests {
    var guests = Guests(tag: share.recordChangeTag ?? "")
    for participant in share.state.withLock(\.sharing)?.participants ?? []
    where participant.acceptanceStatus != .removed && participant.permission != .none {
      guard let user = participant.userIdentity.userRecordID else { continue }
      let name = coding.userRecordName(user)
      guests.names.insert(name)
      guests.proofs[name] = participant.joinProof
      if participant.role == .administrator, participant.acceptanceStatus == .accepted {
        guests.administrators.insert(name)
      }
    }
    return guests
  }

  /// Compares the owner's keys with the link by which the user joins a share.
  ///
  /// - Returns: The proof for the owner's devices; nil for a URL without a secret.
  func joinProof(
    for metadata: CKShare.Metadata, _ coding: RecordCoding, _ options: CallOptions
  ) async throws(CKError) -> [UInt8]? {
    guard isOnDevice, let link = metadata.link else { return nil }
    let scope = scope(of: metadata.share, coding)
    return try await withEngine(options) { try await $0.join(scope, by: link) }
  }

  private func deliver(_ scope: KeyScope, to guests: Guests, _ options: CallOptions)
    async throws(CKError)
  {
    let delivery = try await withEngine(options) {
      try await $0.deliverKeys(
        of: scope, to: guests.names, proofs: guests.proofs, administrators: guests.administrators,
        isCurrent: { self.progress.withLock { $0.areCurrent(guests, of: scope) } })
    }
    if !delivery.changed.isEmpty {
      postUsers(CKContainer.Encryption.personKeysChanged, delivery.changed)
    }
    let waiting = delivery.uninvited + delivery.unverified
    if !waiting.isEmpty { postUsers(CKContainer.Encryption.keysRequested, waiting) }
    progress.withLock { progress in
      if delivery.changed.isEmpty, progress.areCurrent(guests, of: scope) {
        progress.delivered.insert(scope)
      }
      if delivery.isRotated { progress.markedScopes.insert(scope) }
    }
    guard delivery.changed.isEmpty else {
      throw CKError(encryption: EncryptionError.changed(delivery.changed))
    }
  }

  /// Posts a notification about other users.
  private func postUsers(_ name: Notification.Name, _ users: [String]) {
    post(
      name, CKContainer.Encryption.userRecordIDsKey,
      users.map { CKRecord.ID(received: $0, zoneID: .default) })
  }

  private func post(_ name: Notification.Name, _ key: String, _ recordIDs: [CKRecord.ID]) {
    guard let address = session.withLock(\.session)?.address else { return }
    NotificationCenter.default.post(
      name: name, object: nil,
      userInfo: [
        CKContainer.Encryption.containerIdentifierKey: address.container.container,
        key: recordIDs,
      ])
  }

  // MARK: Keys

  /// Returns the current user's key engine, and opens the key store if necessary.
  ///
  /// The engine may lack the user's keys; `withEngine` obtains them.
  package func engine() async throws -> EncryptionEngine {
    let task = opened.withLock { opened in
      if let opened { return opened }
      let task = Task { try await self.open() }
      opened = task
      return task
    }
    do {
      return try await task.value
    } catch {
      opened.withLock { opened in if opened == task { opened = nil } }
      throw error
    }
  }

  private func open() async throws -> EncryptionEngine {
    guard let session = session.withLock(\.session) else { throw CKError(.operationCancelled) }
    guard isOnDevice else { throw CKError.encryptedByServer(session.address) }
    guard let user = try await session.userRecordName(CallOptions.forKeys) else {
      throw CKError(.notAuthenticated, "No user is signed in, so there are no encryption keys.")
    }
    let now = session.dependencies.now
    return EncryptionEngine(
      account: EncryptionAccount(container: session.address.container, userRecordName: user),
      store: try makeStore(),
      exchange: SessionExchange(session: session),
      dependencies: EncryptionEngine.Dependencies(
        now: { Timestamp(now()) }, deviceName: ProcessInfo.processInfo.hostName))
  }

  private func start(_ engine: EncryptionEngine) async throws {
    if progress.withLock({ $0.isReady && !$0.areKeysDoubted }) { return }
    try await requireKeys(engine)
    let left = try await engine.scopesToReseal()
    let isFirst = progress.withLock { progress in
      defer { (progress.isReady, progress.areKeysDoubted) = (true, false) }
      if !progress.isReady { progress.markedScopes.formUnion(left) }
      return !progress.isReady
    }
    guard isFirst else { return }
    if !left.isEmpty { resealLeftover() }
    deliverKeysOfChangedShares()
  }

  /// Throws if this device lacks the user's keys, and creates them if the user has none.
  ///
  /// After a failure, the other values of the same response send no request.
  private func requireKeys(_ engine: EncryptionEngine) async throws {
    let noted = MissingKeys.noted
    if let error = noted?.deviceError { throw error }
    do {
      if case .needsApproval = try await engine.start() { throw CKError.needsApproval }
    } catch {
      if CKError(encryption: error).areKeysMissing { noted?.note(ofDevice: error) }
      throw error
    }
  }

  /// Whether this device has the user's keys.
  ///
  /// Creates them if the user has none.
  func hasKeys(_ options: CallOptions) async throws(CKError) -> Bool {
    do throws(CKError) {
      try await withEngine(options) { _ in }
      return true
    } catch {
      guard error.areKeysMissing else { throw error }
      return false
    }
  }

  /// Calls the key engine, after it has obtained the user's keys.
  func withEngine<Result: Sendable>(
    _ options: CallOptions, _ body: (EncryptionEngine) async throws -> Result
  ) async throws(CKError) -> Result {
    do {
      return try await options.limitingKeyRequests {
        let engine = try await engine()
        try await start(engine)
        return try await body(engine)
      }
    } catch {
      throw CKError(encryption: error)
    }
  }
}
