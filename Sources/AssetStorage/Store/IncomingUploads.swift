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
///          goes on└─── waiting ──▶ given up: its address has ended, or there are too many
final class IncomingUploads: Sendable {
  fileprivate struct Entry {
    let upload: AssetUpload
    let grant: UploadGrant
    /// How long the file will be; nil where nobody has said so yet.
    var total: Int64?
    var received: Int64 = 0
    var turn: UInt64
    var isWaiting = false

    /// The bytes that count: all that will be here.
    var size: Int64 { max(received, total ?? 0) }
  }

  /// An upload that is over before its end: it is to be discarded, and counts no more.
  struct Ended {
    let ticket: String
    let upload: AssetUpload
    let grant: UploadGrant
  }

  /// An upload that came to its end: whoever did not hear of it, and asks how much has come, is told that all has.
  fileprivate struct Finished {
    let size: Int64
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
    _ upload: AssetUpload, of total: Int64?, _ ticket: String, for grant: UploadGrant
  ) -> (UploadTurn, former: AssetUpload?) {
    state.withLock { state in
      let turn = state.nextTurn()
      let entry = Entry(upload: upload, grant: grant, total: total, turn: turn)
      state.finished[ticket] = nil
      return (UploadTurn(ticket: ticket, number: turn), state.entries.updateValue(entry, forKey: ticket)?.upload)
    }
  }

  /// Takes an upload from whoever sends it now: how much has come, and whose turn it is to go on; nil where there is none.
  func interrupt(_ ticket: String) -> (received: Int64, turn: UploadTurn)? {
    state.withLock { state in
      guard let entry = state.entries[ticket] else { return nil }
      let turn = state.nextTurn()
      state.entries[ticket]?.turn = turn
      return (entry.received, UploadTurn(ticket: ticket, number: turn))
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
      state.entries[ticket]?.isWaiting = false
      return UploadTurn(ticket: ticket, number: turn)
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
  /// - Returns: How many bytes are kept; nil where another request goes on with the upload.
  func leave(_ turn: UploadTurn) -> Int64? {
    state.withLock { state in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else { return nil }
      state.entries[turn.ticket]?.isWaiting = true
      return entry.size
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

  /// Remembers how long a file is that came whole, while its address is good.
  func noteFinished(_ turn: UploadTurn, size: Int64, until expires: Timestamp) {
    state.withLock { state in
      // One that was begun anew meanwhile says itself how much of it there is.
      guard state.entries[turn.ticket] == nil else { return }
      state.finished[turn.ticket] = Finished(size: size, expires: expires, turn: turn.number)
      guard state.finished.count > Limits.finishedUploads else { return }
      if let first = state.finished.min(by: { $0.value.turn < $1.value.turn }) { state.finished[first.key] = nil }
    }
  }

  /// How long a file is that came whole; nil where nobody remembers one.
  func finishedSize(_ ticket: String) -> Int64? { state.withLock { $0.finished[ticket]?.size } }

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
    var surplus = waiting.filter { $0.value.grant.expires <= now }.map(\.key)
    // Of each user, those that wait longest come first.
    var ofUsers = Dictionary(
      grouping: waiting.filter { now < $0.value.grant.expires }, by: \.value.grant.userRecordName
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
      entries.removeValue(forKey: ticket).map {
        IncomingUploads.Ended(ticket: ticket, upload: $0.upload, grant: $0.grant)
      }
    }
  }
}

/// A request's right to add to an upload.
package struct UploadTurn: Hashable, Sendable {
  let ticket: String
  let number: UInt64
}

// MARK: - What requests do

extension AssetStore {
  /// Begins to take a file in that may come in several requests with one ticket.
  ///
  /// - Parameter length: How long it will be, where the client says so.
  /// - Throws: `QUOTA_EXCEEDED` where there is no room for so much.
  package func begin(resumable ticket: String, length: Int64?, for grant: UploadGrant) async throws -> UploadTurn {
    await endSurplusUploads()
    try server.takeUpload(ticket, size: length ?? 0, for: grant)
    let upload: AssetUpload
    do { upload = try await begin(length: length) } catch {
      server.releaseUpload(ticket, for: grant)
      throw error
    }
    let (turn, former) = incoming.begin(upload, of: length, ticket, for: grant)
    await former?.discard()
    return turn
  }

  /// How much of a file has come, all of it where the upload has ended; a request that still brings it is left.
  package func interruptUpload(_ ticket: String, for grant: UploadGrant) async -> Int64 {
    guard let (received, turn) = incoming.interrupt(ticket) else { return incoming.finishedSize(ticket) ?? 0 }
    return await leave(turn, for: grant) ? received : 0
  }

  /// Goes on with a file; nil where that is not the part that is missing.
  package func resume(
    _ ticket: String, from start: Int64, of total: Int64, for grant: UploadGrant
  ) throws(CloudError) -> UploadTurn? {
    guard let turn = incoming.resume(ticket, from: start, of: total) else { return nil }
    do { try server.takeUpload(ticket, size: total, for: grant) } catch {
      _ = incoming.leave(turn)
      throw error
    }
    return turn
  }

  /// Gives up the uploads that wait for a client that cannot go on with them any more, and those that are too many.
  package func endSurplusUploads() async {
    for ended in incoming.endSurplus(at: server.environment.now()) {
      server.releaseUpload(ended.ticket, for: ended.grant)
      await ended.upload.discard()
    }
  }

  /// Takes the next bytes, and waits for the disk where some have gathered.
  ///
  /// - Throws: `QUOTA_EXCEEDED` where the file's length is not known, and there is no room for what has come.
  package func append(_ bytes: [UInt8], _ turn: UploadTurn, for grant: UploadGrant) async throws {
    let gathered = try incoming.gather(bytes, turn)
    if let received = gathered.uncounted { try server.takeUpload(turn.ticket, size: received, for: grant) }
    try await gathered.full?.flush()
  }

  /// Keeps what has come until the address ends, since the connection broke; not what the sender's quota has no room for.
  ///
  /// - Returns: Whether it is kept, and nobody else goes on with it.
  @discardableResult
  package func leave(_ turn: UploadTurn, for grant: UploadGrant) async -> Bool {
    guard let size = incoming.leave(turn) else { return false }
    do { try server.takeUpload(turn.ticket, size: size, for: grant) } catch {
      await giveUp(turn, for: grant)
      return false
    }
    await endSurplusUploads()
    return incoming.has(turn)
  }

  /// Gives an upload up, unless another request goes on with it.
  package func giveUp(_ turn: UploadTurn, for grant: UploadGrant) async {
    guard let upload = try? incoming.take(turn) else { return }
    server.releaseUpload(turn.ticket, for: grant)
    await upload.discard()
  }

  /// Ends an upload.
  ///
  /// - Throws: `incomplete` where a part is missing: the upload is still there, for the rest.
  package func finish(_ turn: UploadTurn, for grant: UploadGrant) async throws -> AssetValue {
    try incoming.checkIsWhole(turn)
    let upload = try incoming.take(turn)
    // From here on the whole file counts.
    server.releaseUpload(turn.ticket, for: grant)
    do {
      let asset = try await finish(upload, for: grant)
      incoming.noteFinished(turn, size: asset.size, until: grant.expires)
      return asset
    } catch {
      await upload.discard()
      throw error
    }
  }
}
