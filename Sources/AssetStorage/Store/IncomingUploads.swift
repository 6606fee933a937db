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
///          goes on└─── waiting ──▶ given up, when there are too many
final class IncomingUploads: Sendable {
  fileprivate struct Entry {
    let upload: AssetUpload
    /// How long the file will be; nil where nobody has said so yet.
    var total: Int64?
    var received: Int64 = 0
    var turn: UInt64
    var isWaiting = false
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    var lastTurn: UInt64 = 0

    mutating func nextTurn() -> UInt64 {
      lastTurn += 1
      return lastTurn
    }
  }

  private let state = Mutex(State())

  /// Begins an upload in the place of an earlier one with the same ticket.
  ///
  /// - Returns: Those that nobody can go on with any more.
  func begin(_ upload: AssetUpload, of total: Int64?, _ ticket: String) -> (UploadTurn, former: [AssetUpload]) {
    state.withLock { state in
      let turn = state.nextTurn()
      let former = state.entries.updateValue(Entry(upload: upload, total: total, turn: turn), forKey: ticket)?.upload
      return (UploadTurn(ticket: ticket, number: turn), [former, state.tooOld()].compactMap(\.self))
    }
  }

  /// How much has come; whoever sends it now has no turn any more.
  func interrupt(_ ticket: String) -> Int64 {
    state.withLock { state in
      let turn = state.nextTurn()
      state.entries[ticket]?.turn = turn
      state.entries[ticket]?.isWaiting = true
      return state.entries[ticket]?.received ?? 0
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
  /// - Returns: The upload, where it has gathered enough for the disk.
  func gather(_ bytes: [UInt8], _ turn: UploadTurn) throws(AssetStorageError) -> AssetUpload? {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else { throw Self.ended }
      let received = entry.received + Int64(bytes.count)
      if let total = entry.total, received > total {
        throw AssetStorageError(.overlong, "More bytes came than the \(total) of the file. Send it anew.")
      }
      state.entries[turn.ticket]?.received = received
      return entry.upload.gather(bytes) ? entry.upload : nil
    }
  }

  /// Notes that the connection of a request broke.
  func leave(_ turn: UploadTurn) {
    state.withLock { state in
      guard state.entries[turn.ticket]?.turn == turn.number else { return }
      state.entries[turn.ticket]?.isWaiting = true
    }
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
  /// Takes out the upload that waits longest, where there are too many.
  fileprivate mutating func tooOld() -> AssetUpload? {
    let waiting = entries.filter(\.value.isWaiting)
    guard waiting.count > Limits.waitingUploads, let oldest = waiting.min(by: { $0.value.turn < $1.value.turn }) else {
      return nil
    }
    return entries.removeValue(forKey: oldest.key)?.upload
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
  package func begin(resumable ticket: String, length: Int64?) async throws -> UploadTurn {
    let (turn, former) = incoming.begin(try await begin(length: length), of: length, ticket)
    for upload in former { await upload.discard() }
    return turn
  }

  /// How much of a file has come; a request that still brings it is left.
  package func interruptUpload(_ ticket: String) -> Int64 { incoming.interrupt(ticket) }

  /// Goes on with a file; nil where that is not the part that is missing.
  package func resume(_ ticket: String, from start: Int64, of total: Int64) -> UploadTurn? {
    incoming.resume(ticket, from: start, of: total)
  }

  /// Takes the next bytes, and waits for the disk where some have gathered.
  package func append(_ bytes: [UInt8], _ turn: UploadTurn) async throws {
    if let upload = try incoming.gather(bytes, turn) { try await upload.flush() }
  }

  /// Keeps what has come, since the connection broke.
  package func leave(_ turn: UploadTurn) { incoming.leave(turn) }

  /// Gives an upload up, unless another request goes on with it.
  package func giveUp(_ turn: UploadTurn) async {
    if let upload = try? incoming.take(turn) { await upload.discard() }
  }

  /// Ends an upload.
  ///
  /// - Throws: `incomplete` where a part is missing: the upload is still there, for the rest.
  package func finish(_ turn: UploadTurn, for grant: UploadGrant) async throws -> AssetValue {
    try incoming.checkIsWhole(turn)
    let upload = try incoming.take(turn)
    do {
      return try await finish(upload, for: grant)
    } catch {
      await upload.discard()
      throw error
    }
  }
}
