package import CloudRecords
package import RecordServer
internal import Synchronization

/// Uploads that can go on in another request, by the tickets of their addresses.
///
/// A request has its turn with an upload. Whoever asks how much has come ends that turn: the client asks because it takes the former connection for broken, which the server may not know yet.
///
///     begin ──▶ a request's turn ──▶ finished, or given up
///                 ▲        │ asked, or the connection broke
///                 │        ▼
///          goes on└─── waiting ──▶ given up: nobody came for long, or there are too many
///
/// The address of an upload is good for as long as that is waited for, however long ago it was given; and of one that has ended, the receipt is told for as long.
final class IncomingUploads: Sendable {
  fileprivate struct Entry {
    let upload: AssetUpload
    let grant: UploadGrant
    /// What it counts towards its sender's quota by.
    let name: String
    /// How long the file will be; nil where nobody has said so yet.
    var total: Int64?
    var received: Int64 = 0
    var turn: UInt64
    /// However often somebody comes, the upload is given up then.
    let lastEnd: Timestamp
    /// Until when it waits for its rest; nil while it comes.
    var waitsUntil: Timestamp?

    var isWaiting: Bool { waitsUntil != nil }

    /// The bytes that count: all that will be here.
    var size: Int64 { max(received, total ?? 0) }
  }

  /// An upload that is over before its end: it is to be discarded, and counts no more.
  struct Ended {
    let name: String
    let upload: AssetUpload
    let grant: UploadGrant
  }

  /// An upload that came to its end: whoever did not hear of it, and asks how much has come, is told that all has, and gets the receipt.
  fileprivate struct Finished {
    let asset: AssetValue
    let expires: Timestamp
    let turn: UInt64
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    var finished: [String: Finished] = [:]
    var lastTurn: UInt64 = 0

    mutating func nextTurn() -> UInt64 {
      lastTurn += 1
      return lastTurn
    }
  }

  private let state = Mutex(State())

  /// Begins an upload in the place of an earlier one with the same ticket.
  ///
  /// - Returns: The earlier one, too.
  func begin(
    _ upload: AssetUpload, named name: String, of total: Int64?, _ ticket: String, for grant: UploadGrant,
    atMostUntil lastEnd: Timestamp
  ) -> (UploadTurn, former: Ended?) {
    state.withLock { state in
      let turn = state.nextTurn()
      let entry = Entry(upload: upload, grant: grant, name: name, total: total, turn: turn, lastEnd: lastEnd)
      state.finished[ticket] = nil
      let former = state.entries.updateValue(entry, forKey: ticket).map(Ended.init)
      return (UploadTurn(ticket: ticket, number: turn, name: name), former)
    }
  }

  /// A name for an upload that is to begin, and that of the one whose place it takes.
  func names(for ticket: String) -> (own: String, former: String?) {
    state.withLock { ("upload \($0.nextTurn())", $0.entries[ticket]?.name) }
  }

  /// Takes an upload from whoever sends it now: how much has come, and whose turn it is to go on; nil where there is none.
  func interrupt(_ ticket: String) -> (received: Int64, turn: UploadTurn)? {
    state.withLock { state in
      guard let entry = state.entries[ticket] else { return nil }
      let turn = state.nextTurn()
      state.entries[ticket]?.turn = turn
      return (entry.received, UploadTurn(ticket: ticket, number: turn, name: entry.name))
    }
  }

  /// Goes on with an upload; nil where another part of it is wanted, or nothing of it is there.
  func resume(_ ticket: String, from start: Int64, of total: Int64) -> UploadTurn? {
    state.withLock { state in
      guard let entry = state.entries[ticket], entry.isWaiting, entry.received == start, entry.total ?? total == total
      else { return nil }
      let turn = state.nextTurn()
      state.entries[ticket]?.total = total
      state.entries[ticket]?.turn = turn
      state.entries[ticket]?.waitsUntil = nil
      return UploadTurn(ticket: ticket, number: turn, name: entry.name)
    }
  }

  /// Takes bytes of a request whose turn it is.
  ///
  /// - Returns: How much has come, where nobody has said how much will; and the upload, where it has gathered enough for the disk.
  func gather(
    _ bytes: [UInt8], _ turn: UploadTurn
  ) throws(AssetStorageError) -> (uncounted: Int64?, full: AssetUpload?) {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else { throw Self.ended }
      let received = entry.received + Int64(bytes.count)
      if let total = entry.total, received > total {
        throw AssetStorageError(.overlong, "More bytes came than the \(total) of the file. Send it anew.")
      }
      state.entries[turn.ticket]?.received = received
      return (entry.total == nil ? received : nil, entry.upload.gather(bytes) ? entry.upload : nil)
    }
  }

  /// Notes that the connection of a request broke.
  ///
  /// - Parameter end: Until when its rest is waited for.
  /// - Returns: How many bytes are kept; nil where another request goes on with the upload.
  func leave(_ turn: UploadTurn, until end: Timestamp) -> Int64? {
    state.withLock { state in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else { return nil }
      state.entries[turn.ticket]?.waitsUntil = min(end, entry.lastEnd)
      return entry.size
    }
  }

  /// Whether an upload came by a ticket of which somebody may still want to know, or that may still go on.
  func knows(_ ticket: String, at now: Timestamp) -> Bool {
    state.withLock { state in
      if let entry = state.entries[ticket] { return entry.waitsUntil.map { now < $0 } ?? true }
      return state.finished[ticket].map { now < $0.expires } ?? false
    }
  }

  /// Whether it is still the same turn of an upload.
  func has(_ turn: UploadTurn) -> Bool { state.withLock { $0.entries[turn.ticket]?.turn == turn.number } }

  /// Takes out the uploads that wait and that nobody can go on with, or that are too many: of who has the most of them, the one that waits longest.
  func endSurplus(at now: Timestamp) -> [Ended] {
    state.withLock { $0.endSurplus(at: now) }
  }

  /// Refuses to end an upload of which a part is missing.
  func checkIsWhole(_ turn: UploadTurn) throws(AssetStorageError) {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number, let total = entry.total,
        entry.received != total
      else { return }
      throw AssetStorageError(
        .incomplete, "The body ended after \(entry.received) of \(total) bytes of the file. Send the rest.")
    }
  }

  /// Remembers the receipt of a file that came whole.
  func noteFinished(_ turn: UploadTurn, _ asset: AssetValue, until expires: Timestamp) {
    state.withLock { state in
      // One that was begun anew meanwhile says itself how much of it there is.
      guard state.entries[turn.ticket] == nil else { return }
      state.finished[turn.ticket] = Finished(asset: asset, expires: expires, turn: turn.number)
      guard state.finished.count > Limits.finishedUploads else { return }
      if let first = state.finished.min(by: { $0.value.turn < $1.value.turn }) { state.finished[first.key] = nil }
    }
  }

  /// The receipt of a file that came whole; nil where nobody remembers one.
  func finished(_ ticket: String, at now: Timestamp) -> AssetValue? {
    state.withLock { state in
      guard let finished = state.finished[ticket], now < finished.expires else { return nil }
      return finished.asset
    }
  }

  /// Takes an upload out, for its end.
  func take(_ turn: UploadTurn) throws(AssetStorageError) -> AssetUpload {
    try state.withLock { (state) throws(AssetStorageError) in
      guard state.entries[turn.ticket]?.turn == turn.number, let entry = state.entries.removeValue(forKey: turn.ticket)
      else { throw Self.ended }
      return entry.upload
    }
  }

  private static let ended = AssetStorageError(.ended, "another request goes on with the upload")
}

extension IncomingUploads.State {
  fileprivate mutating func endSurplus(at now: Timestamp) -> [IncomingUploads.Ended] {
    finished = finished.filter { now < $0.value.expires }
    let waiting = entries.filter(\.value.isWaiting)
    let isOver = { (entry: IncomingUploads.Entry) in entry.waitsUntil.map { $0 <= now } ?? false }
    var surplus = waiting.filter { isOver($0.value) }.map(\.key)
    // Of each user, those that wait longest come first.
    var ofUsers = Dictionary(
      grouping: waiting.filter { !isOver($0.value) }, by: \.value.grant.userRecordName
    )
    .mapValues { uploads in uploads.map { (ticket: $0.key, turn: $0.value.turn) }.sorted { $0.turn < $1.turn }[...] }
    for (user, uploads) in ofUsers where uploads.count > Limits.waitingUploadsOfUser {
      let kept = uploads.suffix(Limits.waitingUploadsOfUser)
      surplus += uploads.prefix(uploads.count - kept.count).map(\.ticket)
      ofUsers[user] = kept
    }
    var count = ofUsers.values.reduce(0) { $0 + $1.count }
    while count > Limits.waitingUploads {
      let most = ofUsers.max {
        ($0.value.count, $1.value.first?.turn ?? 0) < ($1.value.count, $0.value.first?.turn ?? 0)
      }
      guard let most, let first = most.value.first else { break }
      surplus.append(first.ticket)
      ofUsers[most.key] = most.value.dropFirst()
      count -= 1
    }
    return surplus.compactMap { ticket in
      entries.removeValue(forKey: ticket).map(IncomingUploads.Ended.init)
    }
  }
}

extension IncomingUploads.Ended {
  fileprivate init(_ entry: IncomingUploads.Entry) {
    self.init(name: entry.name, upload: entry.upload, grant: entry.grant)
  }
}

/// A request's right to add to an upload.
package struct UploadTurn: Hashable, Sendable {
  let ticket: String
  let number: UInt64
  /// What the upload counts by.
  let name: String
}

// MARK: - What requests do

extension AssetStore {
  /// Begins to take a file in that may come in several requests with one ticket.
  ///
  /// - Parameter length: How long it will be, where the client says so.
  /// - Throws: `QUOTA_EXCEEDED` where there is no room for so much.
  package func begin(resumable ticket: String, length: Int64?, for grant: UploadGrant) async throws -> UploadTurn {
    await endSurplusUploads()
    let (name, place) = incoming.names(for: ticket)
    try server.takeUpload(name, insteadOf: place, size: length ?? 0, for: grant)
    let upload: AssetUpload
    do { upload = try await begin(length: length) } catch {
      server.releaseUpload(name, for: grant)
      throw error
    }
    let lastEnd = time(behind: server.environment.limits.assetReceiptSeconds)
    let (turn, former) = incoming.begin(
      upload, named: name, of: length, ticket, for: grant, atMostUntil: lastEnd)
    if let former { await discard(former) }
    return turn
  }

  /// How much of a file has come, all of it where the upload has ended; a request that still brings it is left.
  package func interruptUpload(_ ticket: String, for grant: UploadGrant) async -> Int64 {
    guard let (received, turn) = incoming.interrupt(ticket) else { return endedUpload(ticket)?.size ?? 0 }
    return await leave(turn, for: grant) ? received : 0
  }

  /// What was told of an upload that has ended: whoever did not hear it need not send the file again.
  package func endedUpload(_ ticket: String) -> AssetValue? {
    incoming.finished(ticket, at: server.environment.now())
  }

  /// For how long an upload waits for its rest, and is remembered when it has ended: as long as an address that were given now, and its own.
  private func waitingEnd(of grant: UploadGrant) -> Timestamp {
    max(grant.expires, time(behind: server.environment.limits.assetAddressSeconds))
  }

  private func time(behind seconds: Int) -> Timestamp {
    Timestamp(milliseconds: server.environment.now().milliseconds + Int64(seconds) * 1_000)
  }

  /// Goes on with a file; nil where that is not the part that is missing.
  package func resume(
    _ ticket: String, from start: Int64, of total: Int64, for grant: UploadGrant
  ) throws(CloudError) -> UploadTurn? {
    guard let turn = incoming.resume(ticket, from: start, of: total) else { return nil }
    do { try server.takeUpload(turn.name, size: total, for: grant) } catch {
      _ = incoming.leave(turn, until: waitingEnd(of: grant))
      throw error
    }
    return turn
  }

  /// Gives up the uploads that wait for a client that cannot go on with them any more, and those that are too many.
  package func endSurplusUploads() async {
    for ended in incoming.endSurplus(at: server.environment.now()) { await discard(ended) }
  }

  /// Takes the next bytes, and waits for the disk where some have gathered.
  ///
  /// - Throws: `QUOTA_EXCEEDED` where the file's length is not known, and there is no room for what has come.
  package func append(_ bytes: [UInt8], _ turn: UploadTurn, for grant: UploadGrant) async throws {
    let gathered = try incoming.gather(bytes, turn)
    if let received = gathered.uncounted { try server.takeUpload(turn.name, size: received, for: grant) }
    try await gathered.full?.flush()
  }

  /// Keeps what has come for a while, since the connection broke; not what the sender's quota has no room for.
  ///
  /// - Returns: Whether it is kept, and nobody else goes on with it.
  @discardableResult
  package func leave(_ turn: UploadTurn, for grant: UploadGrant) async -> Bool {
    guard let size = incoming.leave(turn, until: waitingEnd(of: grant)) else { return false }
    do { try server.takeUpload(turn.name, size: size, for: grant) } catch {
      await giveUp(turn, for: grant)
      return false
    }
    await endSurplusUploads()
    return incoming.has(turn)
  }

  /// Gives an upload up, unless another request goes on with it.
  package func giveUp(_ turn: UploadTurn, for grant: UploadGrant) async {
    guard let upload = try? incoming.take(turn) else { return }
    await discard(IncomingUploads.Ended(name: turn.name, upload: upload, grant: grant))
  }

  /// Removes what came of an upload, which counts until then.
  private func discard(_ ended: IncomingUploads.Ended) async {
    await ended.upload.discard()
    server.releaseUpload(ended.name, for: ended.grant)
  }

  /// Ends an upload.
  ///
  /// - Throws: `incomplete` where a part is missing: the upload is still there, for the rest.
  package func finish(_ turn: UploadTurn, for grant: UploadGrant) async throws -> AssetValue {
    try incoming.checkIsWhole(turn)
    let upload = try incoming.take(turn)
    do {
      let asset = try await finish(upload, countedAs: turn.name, for: grant)
      incoming.noteFinished(turn, asset, until: waitingEnd(of: grant))
      return asset
    } catch {
      await discard(IncomingUploads.Ended(name: turn.name, upload: upload, grant: grant))
      throw error
    }
  }
}
