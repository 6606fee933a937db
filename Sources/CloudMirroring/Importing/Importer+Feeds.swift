import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel

/// A part of a zone's feed for one save.
///
/// Decisions that depend on the store, such as deferrals, are made after the previous part is
/// saved: it may have created objects that this part deletes.
struct FeedPart: Sendable {
  /// The changes in the feed.
  let received: ImportPage
  /// The changes, decoded as far as possible in advance.
  let page: DecodedPage
  let token: CKServerChangeToken
  let isLast: Bool
}

/// A zone whose feed was read to its end.
struct ReadZone: Sendable {
  let zone: RecordZoneIdentifier
  /// The position at the end.
  let token: [UInt8]
  let asked: LedgerMoment?
}

extension Importer {
  /// Applies the changes in a zone, some pages in each save.
  ///
  /// While one part is saved, the next one is fetched and decoded, so memory stays bounded. An
  /// engine that is driven by hand fetches before it saves, in the same order each time.
  ///
  ///     fetch 1 ─▶ fetch 2 ──▶ fetch 3 ──▶
  ///                save  1     save  2     save 3
  func pull(_ zone: RecordZoneIdentifier) async throws -> Int {
    var count = 0
    try await retryingIfOvertaken {
      var held = HeldDeletions()
      try await finish(try await read(zone, &held, &count), &held, &count)
    }
    return count
  }

  /// Reads and applies a zone's feed to its end.
  ///
  /// - Parameter held: The deletions that wait; with `holdsAllDeletions`, they wait until `finish`.
  func read(_ zone: RecordZoneIdentifier, _ held: inout HeldDeletions, _ count: inout Int)
    async throws -> ReadZone
  {
    try ZoneFeed(importer: self).restartListing(of: zone)
    let reconciliation = reconciliation(of: zone)
    let token = reconciliation.startsOver ? nil : try zoneToken(zone)
    if token == nil {
      try RestoredServer(importer: self).recordLoss(try await checkIsSame(zone), of: zone)
      try Reconciler(importer: self).begin(zone)
      reconciliation.restart(in: zone)
    }
    let isListing = token == nil && !reconciliation.isOn
    held.awaitsSuccessors = try !ledger.deferred(.successor, limit: 1).isEmpty
    var part = try await part(of: zone, since: token, isListing: isListing)
    var hasShare = part.received.hasShare
    while !part.isLast {
      let place = part.token
      async let next = self.part(of: zone, since: place, isListing: isListing)
      if !isAutomatic { _ = try? await next }
      count += try await takeOver(part, of: zone, &held)
      part = try await next
      hasShare = hasShare || part.received.hasShare
    }
    count += try await takeOver(part, of: zone, &held)
    if token == nil, !hasShare { try ZoneFeed(importer: self).noteMissingShare(of: zone) }
    return ReadZone(zone: zone, token: part.token.bytes, asked: part.received.asked)
  }

  /// Applies the changes that waited for the end of a zone's feed.
  func finish(_ read: ReadZone, _ held: inout HeldDeletions, _ count: inout Int) async throws {
    count += try await refetch(.successor)
    if !held.isEmpty {
      count += try await apply(held.releaseBehind([read.zone: read.token], asked: read.asked))
    }
    count += try await Reconciler(importer: self).end(read.zone, asked: read.asked)
  }

  private func takeOver(
    _ part: FeedPart, of zone: RecordZoneIdentifier, _ held: inout HeldDeletions
  ) async throws
    -> Int
  {
    try Task.checkCancellation()
    var received = part.received
    let behind = try hold(&received, &held, isLast: part.isLast, [zone: part.token.bytes])
    reconciliation(of: zone).note(received)
    try ZoneFeed(importer: self).noteShares(&received, of: zone)
    log(
      .records,
      "receives \(received.records.map(\.recordID.recordName) + received.deleted.map { "deletion \($0.recordName)" })"
    )
    var count = 0
    let read = part.page.saying(received)
    count += try await apply(
      read.saying(try RestoredServer(importer: self).withoutDeleted(read, in: zone)))
    // Winners come before the deletions of their losers.
    if let behind { count += try await refetch(.successor) + apply(behind) }
    reconciliation(of: zone).hasBegun()
    progress.received(received.records.count + received.deleted.count)
    noteProgress()
    return count
  }

  /// Fetches and decodes the pages of one save.
  private func part(
    of zone: RecordZoneIdentifier, since token: CKServerChangeToken?, isListing: Bool
  ) async throws -> FeedPart {
    var received = ImportPage()
    received.asked = try ledger.moment()
    let end = try await fetch(zone, since: token, into: &received)
    return FeedPart(
      received: received, page: try read(received, isListing: isListing), token: end.token,
      isLast: end.isLast)
  }

  /// Fetches the pages of one save; returns the position after them, and whether the feed ends.
  func fetch(
    _ zone: RecordZoneIdentifier, since token: CKServerChangeToken?, into received: inout ImportPage
  ) async throws -> (token: CKServerChangeToken, isLast: Bool) {
    var (token, isMore, pageCount) = (token, true, 0)
    let most = sizes.pagesInSave
    let database = try received.isRelisting ? mirror.database : databaseOfNewFiles
    while isMore, pageCount < most {
      try Task.checkCancellation()
      let page = try await database.recordZoneChanges(
        inZoneWith: zone.zoneID, since: token, resultsLimit: sizes.recordsInPage)
      let found = try FoundRecords(page.modificationResultsByID.mapValues { $0.map(\.record) })
      received.add(
        found.records, deleted: page.deletions.map(\.recordID), unread: found.unread)
      (token, isMore) = (page.changeToken, page.moreComing)
      pageCount += 1
    }
    guard let token else { preconditionFailure("A part of a feed has at least one page.") }
    return (token, !isMore)
  }

  // MARK: Files

  /// The database, without fetching files of records whose tag is known.
  ///
  /// An order is always read, so its file is always fetched.
  var databaseOfNewFiles: CKDatabase {
    get throws {
      let (ledger, orders) = (ledger, mirror.schema.hasOrders)
      return try mirror.database.leavingFiles { record in
        if orders, record.allKeys().contains(where: MirrorNames.isLongOrder) { return false }
        // If the lookup fails, the file is fetched.
        let tags = try? ledger.tags(of: [RecordIdentifier(record.recordID)])
        return record.recordChangeTag != nil
          && tags?[RecordIdentifier(record.recordID)] == record.recordChangeTag
      }
    }
  }

  // MARK: Reading

  /// Decodes a page as far as possible without the store's objects.
  ///
  /// - Parameter isListing: Whether the page is of a full listing, in which most records are new.
  func read(_ page: ImportPage, isListing: Bool = false) throws -> DecodedPage {
    try DecodedPage(isListing ? page : withoutEchoes(page), at: mirror)
  }

  /// Returns the page without records whose tag is known: this device sent them, or they are
  /// repeated.
  ///
  /// A deferred order may depend on unchanged records, so models with orders keep all.
  private func withoutEchoes(_ page: ImportPage) throws -> ImportPage {
    guard !page.isConflict, !page.isRelisting, !page.records.isEmpty, !mirror.schema.hasOrders
    else { return page }
    let tags = try ledger.tags(of: page.records.map { RecordIdentifier($0.recordID) })
    guard !tags.isEmpty else { return page }
    let news = page.records.filter { record in
      tags[RecordIdentifier(record.recordID)].map { $0 != record.recordChangeTag } ?? true
    }
    return news.count == page.records.count
      ? page : page.replacing(records: news, deleted: page.deleted)
  }
}
