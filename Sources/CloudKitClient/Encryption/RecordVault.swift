package import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

/// Seals a session's encrypted values, and opens them.
///
/// The keys are looked for when the first such value is seen; programs that have none never ask for
/// any. Where the server encrypts, values pass as they are, and there are no keys.
package final class RecordVault: Sendable {
  /// Whether values are sealed on this device, and not by the server.
  let isOnDevice: Bool
  private let session: Mutex<WeakSession>
  private let makeStore: StoreMaker
  private let presentKeys: PresentKeys
  private let opened = Mutex<Task<EncryptionEngine, any Error>?>(nil)
  private let progress = Mutex(Progress())
  /// Seals anew what a former process left.
  private let leftover = Mutex<Task<Void, Never>?>(nil)
  /// Gives keys to who has come.
  private let handouts = Mutex<Task<Void, Never>?>(nil)

  private struct Progress {
    /// The device has the user's keys.
    var isReady = false
    /// The user has given up what was encrypted somewhere, and with it perhaps the keys that this
    /// device has.
    var areKeysDoubted = false
    /// Shares and zones whose participants were given the keys, since the vault was made.
    var handed: Set<KeyScope> = []
    /// Who takes part in shares of the user's that have changed, as others changed them; they are
    /// looked at once the program uses keys.
    var changed: [KeyScope: Set<String>] = [:]
    /// The versions of the shares that were seen.
    var shareTags: [KeyScope: String] = [:]
    /// Shares of others that have changed: somebody may have been removed, so that there is another
    /// key.
    var doubted: Set<KeyScope> = []
    /// Shares and zones that somebody lost access to: what is sealed under their former keys is
    /// sealed anew.
    var toSealAnew: Set<KeyScope> = []
  }

  /// The session has the vault, and not the other way round.
  private struct WeakSession {
    weak var session: CloudSession?
  }

  /// Opens the place where keys are kept, when the first one is needed.
  package typealias StoreMaker = @Sendable () throws(EncryptionError) -> any KeyStore

  /// The keys of an account that are there, without making a place for them.
  package typealias PresentKeys =
    @Sendable (EncryptionAccount) throws(EncryptionError) -> StoredKeys

  /// - Parameters:
  ///   - isOnDevice: Whether values are sealed on this device, and not by the server.
  ///   - presentKeys: Looks where the server encrypts whether this device has sealed values before.
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

  /// What was sealed, and by what the server knows the user's keys of that time; nil where nothing
  /// was sealed, or it is not known.
  typealias Sealed = (fields: RecordFields, keyGeneration: Int64?)

  /// Seals the encrypted fields among some.
  func seal(
    _ fields: RecordFields, of record: RecordIdentifier, recordType: String, shareName: String?,
    _ options: CallOptions
  ) async throws(CKError) -> Sealed {
    guard isOnDevice, fields.contains(where: \.field.isEncrypted) else { return (fields, nil) }
    let scope = KeyScope(zone: record.zone, shareName: shareName)
    if progress.withLock({ $0.doubted.contains(scope) }) {
      try await ask(options) { try await $0.refreshKeys(of: scope) }
      _ = progress.withLock { $0.doubted.remove(scope) }
    }
    return try await ask(options) { engine in
      // Before: where there are other keys behind it, the server refuses what may be sealed under
      // these.
      let generation = await engine.keyGeneration
      return (
        try await engine.seal(fields, of: record, recordType: recordType, shareName: shareName),
        generation
      )
    }
  }

  /// Opens the encrypted fields of a record.
  ///
  /// - Throws: `CKError.notSealed` where the server calls a value encrypted that no device has
  ///   sealed: anybody may have written it.
  func open(_ record: CloudRecord, _ options: CallOptions) async throws(CKError) -> CloudRecord {
    guard isOnDevice else { return record }
    let unsealed = Self.unsealedFields(of: record)
    guard unsealed.isEmpty else { throw CKError.notSealed(unsealed, record.identifier.recordName) }
    guard record.fields.contains(where: \.field.isEncrypted) else { return record }
    return try await ask(options) { try await $0.open(record) }
  }

  /// Opens the fields of a record that a device has sealed, and leaves out those that none has
  /// sealed.
  func openSealed(_ record: CloudRecord, _ options: CallOptions) async throws(CKError)
    -> CloudRecord
  {
    try await open(isOnDevice ? Self.sealedAlone(record) : record, options)
  }

  /// Opens those encrypted fields of a record that can be opened, and leaves out the others.
  func openEach(_ record: CloudRecord, _ options: CallOptions) async -> (
    CloudRecord, unopened: Set<String>
  ) {
    var (opened, unopened) = (record, Set<String>())
    for entry in record.fields where entry.field.isEncrypted {
      var part = record
      part.fields = RecordFields()
      part.fields[entry.name] = entry.field
      do throws(CKError) {
        opened.fields[entry.name] = try await open(part, options).fields[entry.name]
      } catch {
        opened.fields[entry.name] = nil
        unopened.insert(entry.name)
      }
    }
    return (opened, unopened)
  }

  /// Refuses to leave encryption to the server where this device has keys of the user: it would
  /// send in plain what was sealed until now.
  func checkServerMayEncrypt(_ options: CallOptions) async throws(CKError) {
    guard !isOnDevice, let session = session.withLock(\.session) else { return }
    guard let user = try await session.userRecordName(options) else { return }
    let account = EncryptionAccount(container: session.address.container, userRecordName: user)
    let isEmpty: Bool
    do throws(EncryptionError) { isEmpty = try presentKeys(account).isEmpty } catch {
      throw CKError(encryption: error)
    }
    if !isEmpty { throw CKError.sealedBefore(session.address) }
  }

  private static func unsealedFields(of record: CloudRecord) -> [String] {
    record.fields.filter { $0.field.isEncrypted && !SealedValue.isOne($0.field.value) }.map(\.name)
      .sorted()
  }

  private static func sealedAlone(_ record: CloudRecord) -> CloudRecord {
    var sealed = record
    for name in unsealedFields(of: record) { sealed.fields[name] = nil }
    return sealed
  }

  /// Whether encrypted fields of a record are sealed under anything but the newest key.
  func needsSealingAnew(
    _ record: CloudRecord, shareName: String?, _ options: CallOptions
  ) async throws(CKError) -> Bool {
    let sealed = Self.sealedAlone(record)
    return try await ask(options) { try await $0.needsSealingAnew(sealed, shareName: shareName) }
  }

  /// The shares and zones whose former keys are to be left, once.
  func takeScopesToSealAnew() -> Set<KeyScope> {
    progress.withLock { progress in
      defer { progress.toSealAnew = [] }
      return progress.toSealAnew
    }
  }

  /// Notes that what is sealed under former keys is to be sealed anew.
  func noteToSealAnew(_ scope: KeyScope) { _ = progress.withLock { $0.toSealAnew.insert(scope) } }

  /// Keeps a note for a later process, in case that this one ends before it has sealed anew what
  /// changes now.
  func keepNote(_ scope: KeyScope) async {
    // Without it, this process does it all the same.
    try? await engine().noteToSealAnew(scope)
  }

  /// Keeps a note of a share of some records that is deleted: they are the zone's afterwards.
  func keepNote(ofDeleted share: RecordIdentifier) async {
    let scope = KeyScope(zone: share.zone, shareName: share.recordName)
    if progress.withLock({ $0.shareTags[scope] != nil }) {
      await keepNote(KeyScope(zone: share.zone))
    }
  }

  /// Takes the note away, unless there is more to be done by now.
  func noteSealedAnew(_ scope: KeyScope) async {
    if progress.withLock({ $0.toSealAnew.contains(scope) }) { return }
    // One that stays costs the next process a look through the zone.
    try? await engine().noteSealedAnew(scope)
  }

  /// Returns when what a former process left is sealed anew, or cannot be for now.
  package func leftoverIsDone() async { await leftover.withLock(\.self)?.value }

  /// Goes on with what a former process left, where the program has asked for the keys and perhaps
  /// seals nothing for long.
  func goOnWithLeftover() async {
    // What does not succeed now does with the next encrypted value.
    guard let engine = try? await engine(), (try? await engine.scopesToSealAnew())?.isEmpty == false
    else { return }
    try? await start(engine)
  }

  /// Seals anew what a former process left, beside what the program does.
  private func sealLeftoverAnew() {
    guard let session = session.withLock(\.session) else { return }
    let task = Task {
      await DatabaseWork(session: session, scope: .private).sealAnewWhatIsDue(held: [])
    }
    leftover.withLock { $0 = task }
  }

  /// Whether the program has sealed or opened anything.
  var isInUse: Bool { progress.withLock(\.isReady) }

  /// Whether those who take part in a share, or in that of the zone, were given the keys.
  func hasHandedKeys(of zone: RecordZoneIdentifier, _ shareName: String?) -> Bool {
    progress.withLock { $0.handed.contains(KeyScope(zone: zone, shareName: shareName)) }
  }

  /// Gives those who take part in a share that was changed the keys to it.
  ///
  /// The share is saved, whatever becomes of that: what does not succeed here, the next value that
  /// is sealed for them tries again, and tells.
  func handKeysAgain(of share: CKShare, _ coding: RecordCoding, _ options: CallOptions) async {
    let scope = scope(of: share, coding)
    progress.withLock { progress in
      progress.handed.remove(scope)
      let isNew = progress.shareTags.updateValue(share.recordChangeTag ?? "", forKey: scope) == nil
      // What was the zone's until now is sealed under the zone's keys, which who takes part has
      // not.
      if isNew, scope.shareName != nil { progress.toSealAnew.insert(scope) }
    }
    try? await handKeys(of: share, coding, options)
  }

  /// Looks at a share that was fetched: where it has changed, somebody may have come or gone.
  func note(_ share: CKShare, in database: DatabaseScope, _ coding: RecordCoding) {
    guard isOnDevice else { return }
    let (scope, names) = (scope(of: share, coding), Self.participants(of: share, coding))
    let isInUse = progress.withLock { progress in
      guard
        progress.shareTags.updateValue(share.recordChangeTag ?? "", forKey: scope)
          != share.recordChangeTag
      else { return false }
      if database == .private {
        progress.handed.remove(scope)
        progress.changed[scope] = names
      } else {
        progress.doubted.insert(scope)
      }
      return progress.isReady
    }
    if isInUse { handKeysOfChanged() }
  }

  /// Gives those who have come to shares the keys, beside what the program does: they need not wait
  /// for the owner's next encrypted value.
  ///
  /// What does not succeed, the next value that is sealed for them tries again.
  private func handKeysOfChanged() {
    let changed = progress.withLock { progress in
      defer { progress.changed = [:] }
      return progress.changed
    }
    guard !changed.isEmpty else { return }
    handouts.withLock { handouts in
      let former = handouts
      handouts = Task {
        await former?.value
        for (scope, names) in changed.sorted(by: { $0.key < $1.key }) {
          guard let engine = try? await engine(), await engine.hasKeys(of: scope) else { continue }
          try? await hand(scope, to: names, CallOptions())
        }
      }
    }
  }

  /// Returns when those who were seen to have come have the keys, or cannot get them for now.
  package func handoutsAreDone() async { await handouts.withLock(\.self)?.value }

  /// Takes the keys from all who took part in a share that was deleted.
  func noteDeleted(_ share: RecordIdentifier, _ options: CallOptions) async {
    let scope = KeyScope(zone: share.zone, shareName: share.recordName)
    let wasShare = progress.withLock { progress in
      progress.handed.remove(scope)
      return progress.shareTags.removeValue(forKey: scope) != nil
    }
    guard wasShare else { return }
    // Records of a share of some records are the zone's now.
    noteToSealAnew(KeyScope(zone: share.zone))
    if scope.shareName == nil { try? await hand(scope, to: [], options) }
  }

  private func scope(of share: CKShare, _ coding: RecordCoding) -> KeyScope {
    KeyScope(zone: coding.identifier(share.recordID.zoneID), shareName: share.recordID.recordName)
  }

  /// Forgets the keys of a zone that is gone.
  func forgetKeys(of zone: RecordZoneIdentifier) async {
    guard isInUse else { return }
    progress.withLock { progress in
      progress.handed = progress.handed.filter { $0.zone != zone }
      progress.shareTags = progress.shareTags.filter { $0.key.zone != zone }
    }
    // Keys that stay open nothing any more.
    try? await engine().forgetKeys(of: zone)
  }

  /// Forgets the keys of a zone whose user has given up what is encrypted there.
  ///
  /// Perhaps it was everything: this device's own keys are compared with the server's before they
  /// are used next.
  func noteReset(of zone: RecordZoneIdentifier) async {
    await forgetKeys(of: zone)
    progress.withLock { $0.areKeysDoubted = true }
  }

  /// The server says that the user has other keys than those with which values were sealed: they
  /// are compared before the next value.
  ///
  /// - Returns: What keeps this device from sealing; where it has the present keys, that values are
  ///   to be sealed once more.
  func noteReplaced(_ options: CallOptions) async -> CKError {
    progress.withLock { $0.areKeysDoubted = true }
    do throws(CKError) {
      try await ask(options) { _ in }
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

  /// The user has begun anew: what was known of the former keys is forgotten.
  func beginAnew() { progress.withLock { $0 = Progress() } }

  /// Somebody's keys are trusted who had no others before: they get those of zones and shares when
  /// something is sealed next.
  func handKeysAnew() { progress.withLock { $0.handed = [] } }

  /// Notes that nobody takes part in a zone.
  func noteUnshared(_ zone: RecordZoneIdentifier) {
    _ = progress.withLock { $0.handed.insert(KeyScope(zone: zone)) }
  }

  /// Gives those who take part in a share the keys to it.
  func handKeys(of share: CKShare, _ coding: RecordCoding, _ options: CallOptions)
    async throws(CKError)
  {
    try await hand(scope(of: share, coding), to: Self.participants(of: share, coding), options)
  }

  /// Who takes part in a share and may read.
  private static func participants(of share: CKShare, _ coding: RecordCoding) -> Set<String> {
    let participants = share.state.withLock(\.sharing)?.participants ?? []
    return Set(
      participants.filter { $0.acceptanceStatus != .removed && $0.permission != .none }
        .compactMap(\.userIdentity.userRecordID).map { coding.userRecordName($0) })
  }

  private func hand(_ scope: KeyScope, to names: Set<String>, _ options: CallOptions)
    async throws(CKError)
  {
    let handout = try await ask(options) { try await $0.handKeys(of: scope, to: names) }
    progress.withLock { progress in
      progress.handed.insert(scope)
      if handout.isRotated { progress.toSealAnew.insert(scope) }
    }
  }

  // MARK: Keys

  /// The keys of whoever is signed in, which are made where there are none.
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
    guard let user = try await session.userRecordName(CallOptions.ofKeys) else {
      throw CKError(
        .notAuthenticated, "Nobody is signed in, so that there are no keys for encrypted values.")
    }
    let now = session.dependencies.now
    return EncryptionEngine(
      account: EncryptionAccount(container: session.address.container, userRecordName: user),
      store: try makeStore(),
      exchange: SessionExchange(session: session),
      dependencies: EncryptionEngine.Dependencies(now: { Timestamp(now()) }))
  }

  private func start(_ engine: EncryptionEngine) async throws {
    if progress.withLock({ $0.isReady && !$0.areKeysDoubted }) { return }
    try await requireKeys(engine)
    let left = try await engine.scopesToSealAnew()
    let isFirst = progress.withLock { progress in
      defer { (progress.isReady, progress.areKeysDoubted) = (true, false) }
      if !progress.isReady { progress.toSealAnew.formUnion(left) }
      return !progress.isReady
    }
    guard isFirst else { return }
    if !left.isEmpty { sealLeftoverAnew() }
    handKeysOfChanged()
  }

  /// - Throws: Where this device lacks the user's keys; of one answer of the server's, the first
  ///   value that needs them asks for all.
  private func requireKeys(_ engine: EncryptionEngine) async throws {
    let noted = MissingKeys.noted
    if let error = noted?.deviceError { throw error }
    do {
      if case .needsApproval = try await engine.start() { throw CKError.needsApproval }
    } catch {
      if CKError(encryption: error).tellsKeysMissing { noted?.note(ofDevice: error) }
      throw error
    }
  }

  /// Whether this device has the user's keys, which are made where there are none.
  func hasKeys(_ options: CallOptions) async throws(CKError) -> Bool {
    do throws(CKError) {
      try await ask(options) { _ in }
      return true
    } catch {
      guard error.tellsKeysMissing else { throw error }
      return false
    }
  }

  /// Asks the engine, which has the user's keys.
  private func ask<Result: Sendable>(
    _ options: CallOptions, _ question: (EncryptionEngine) async throws -> Result
  ) async throws(CKError) -> Result {
    do {
      return try await options.limitingKeys {
        let engine = try await engine()
        try await start(engine)
        return try await question(engine)
      }
    } catch {
      throw CKError(encryption: error)
    }
  }
}

/// Sends what an engine asks about key bags.
private struct SessionExchange: KeyBagExchange {
  /// The session has the vault, which has the engine: whoever uses them has the session.
  weak let session: CloudSession?

  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    let session = try living
    let work = DatabaseWork(session: session, scope: database, options: CallOptions.ofKeys)
    do throws(CKError) {
      var results: [KeyBagResult] = []
      try await work.inPieces(request.places) { piece throws(CKError) in
        results += try await work.call(KeyBagsLookupRequest(places: Array(piece))).items.map(
          \.result)
      }
      return results
    } catch {
      let isUnknown = error.code == .invalidArguments || error.code == .unknownItem
      throw isUnknown ? CKError.keepsNoKeys(session.address, error) : error
    }
  }

  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    try await living.call(request, database, CallOptions.ofKeys).items.map(\.result)
  }

  private var living: CloudSession {
    get throws {
      guard let session else { throw CKError(.operationCancelled) }
      return session
    }
  }
}
