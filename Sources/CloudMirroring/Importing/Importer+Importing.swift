import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension Importer {
  /// Applies all changes in the cloud since the last import.
  package func importOnce() async -> MirrorOutcome {
    do {
      let (count, refusal) = try await pullAsAllowed()
      progress.finishImport()
      return MirrorOutcome(
        blockers: try [refusal].compactMap(\.self) + sealedBlockers + unreadableBlockers
          + unreadBlockers,
        hasMoved: count > 0)
    } catch {
      let failure = MirrorError(error).ofNoRecord
      // If this fails, the next import encounters the error again.
      try? noteAwaited(failure)
      return MirrorOutcome(failure: failure)
    }
  }

  /// Fetches and applies changes.
  ///
  /// If the server rejects the session, the importer reads only what every user may read of a
  /// public database.
  ///
  /// - Returns: The number of changed records, and the error of a rejected session.
  private func pullAsAllowed() async throws -> (count: Int, refusal: MirrorError?) {
    guard mirror.scope == .public else { return (try await pull(), nil) }
    let refusal = try await readers.determineReader()
    let reader = try mirror.presentUser
    do { return (try await pull(), refusal) } catch {
      // The session may have ended meanwhile.
      guard MirrorError(error).kind == .signInAgain else { throw error }
      let later = try await readers.determineReader()
      guard try mirror.presentUser != reader else { throw error }
      return (try await pull(), later)
    }
  }

  /// Fetches and applies changes, and returns the number of changed records.
  func pull() async throws -> Int {
    if mirror.scope == .public { return try await PublicFeed(importer: self).poll() }
    try await checkDecision()
    if isAutomatic { try await news.checkSubscription(of: mirror) }
    var count = try await Reconciler(importer: self).restart()
    try await retryingIfOvertaken { count += try await ZoneFeed(importer: self).pull() }
    count += try await refetch(.successor) + Relisting(importer: self).relist() + refetchUnread()
    try await settleMerges()
    try await ContestedReferences(importer: self).settle()
    if try ledger.state(.awaitedDecision) != nil { try ledger.setState([.awaitedDecision: .null]) }
    return count
  }

  // MARK: A zone

  /// Returns the position in a zone's feed; nil for an unknown zone.
  func zoneToken(_ zone: RecordZoneIdentifier) throws -> CKServerChangeToken? {
    try ledger.zoneToken(zone).map { CKServerChangeToken(bytes: $0) }
  }

  // MARK: Applying

  /// Applies a page in one save, and restarts if other saves change the same objects.
  @discardableResult
  func apply(_ received: ImportPage) async throws -> Int { try await apply(read(received)) }

  /// Applies a decoded page.
  func apply(_ page: DecodedPage) async throws -> Int {
    try noteSealing(
      page.page.records, isUnread: page.page.unread.values.contains(where: \.kind.awaitsKeys))
    if page.page.isEmpty {
      var changes = LedgerChanges()
      (changes.zoneTokens, changes.state, changes.received) = (
        page.page.zoneTokens, page.page.state, page.page.received
      )
      changes.asked = page.page.asked
      page.page.addDeferred(to: &changes)
      try ledger.apply(changes)
      return 0
    }
    var merges: [DuplicateMerge] = []
    var attempts = 0
    while true {
      attempts += 1
      do {
        return try await apply(page, merges)
      } catch let collision as UniquenessCollision where attempts < MirrorLimits.importAttempts {
        merges = collision.merges
      } catch is LedgerOutdated where attempts < MirrorLimits.importAttempts {
        continue
      } catch let error as NSError
        where error.isSaveConflict && attempts < MirrorLimits.importAttempts
      {
        continue
      }
    }
  }

  /// Applies a decoded page in one attempt.
  private func apply(_ page: DecodedPage, _ merges: [DuplicateMerge]) async throws -> Int {
    let hook = hook
    defer { if mirror.scope == .shared { shared.permissions.forget() } }
    return try await mirror.withContext(author: MirrorNames.importAuthor) { [mirror] context in
      try MirrorImport(
        mirror: mirror, context: context, page: page, hook: hook, merges: merges
      ).run()
    }
  }
}

extension Importer {
  /// Requests and applies changes, and retries if another process recorded newer versions.
  func retryingIfOvertaken<Result>(_ asking: () async throws -> Result) async throws -> Result {
    for _ in 1..<MirrorLimits.importAttempts {
      do { return try await asking() } catch is AnswerOvertaken { try Task.checkCancellation() }
    }
    return try await asking()
  }

  /// Saves, and saves again after conflicts with other saves.
  func retryingSaveConflicts<Result>(_ save: () async throws -> Result) async throws -> Result {
    var attempts = 0
    while true {
      attempts += 1
      do { return try await save() } catch {
        guard attempts < MirrorLimits.importAttempts,
          error is LedgerOutdated || (error as NSError).isSaveConflict
        else { throw error }
      }
    }
  }
}

extension NSError {
  /// Whether a save conflicted with another one.
  fileprivate var isSaveConflict: Bool {
    domain == NSCocoaErrorDomain && code == NSManagedObjectMergeError
  }
}

extension CKServerChangeToken {
  /// The token in the form of the ledger.
  var bytes: [UInt8] { Array(text.utf8) }

  convenience init(bytes: [UInt8]) { self.init(String(decoding: bytes, as: UTF8.self)) }
}

extension Ledger {
  /// Returns a token of the state.
  func token(_ key: LedgerStateKey) throws -> CKServerChangeToken? {
    guard case .text(let text)? = try state(key) else { return nil }
    return CKServerChangeToken(text)
  }
}

extension CKDatabase {
  /// A page of the database feed.
  ///
  /// An expired token restarts the database feed. The tokens of zones stay.
  func changedZones(
    since token: inout CKServerChangeToken?
  ) async throws -> (
    modifications: [CKDatabase.DatabaseChange.Modification],
    deletions: [CKDatabase.DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    do {
      return try await databaseChanges(since: token)
    } catch CKError.changeTokenExpired where token != nil {
      token = nil
      return try await databaseChanges(since: nil)
    }
  }
}
