import CloudRecords
import RecordServer
internal import Synchronization

/// Uploads that can go on in another request, by the tickets of their addresses.
///
/// A request has its turn with an upload. Whoever asks how much has come ends that turn: the client
/// asks because it takes the former connection for broken, which the server may not know yet.
///
///     begin ──▶ a request's turn ──▶ ending ──▶ finished, or given up
///                 ▲        │ asked, or the connection broke
///                 │        ▼
///          goes on└─── waiting ──▶ given up: nobody came for long, or there are too many
///
/// While it ends, its file is brought to the disk: whoever asks then hears of the end.
///
/// The address of an upload is good for as long as that is waited for, however long ago it was
/// given; and of one that has ended, the receipt is told for as long.
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

  /// An upload that came to its end: whoever did not hear of it, and asks how much has come, is
  /// told that all has, and gets the receipt.
  fileprivate struct Finished {
    let asset: AssetValue
    let expires: Timestamp
    let turn: UInt64
  }

  /// An upload of which all has come, and that is brought to the disk.
  fileprivate struct Ending {
    let ticket: String
    /// Who asks how much has come.
    var askers: [CheckedContinuation<Void, Never>] = []
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    /// By their last turns.
    var ending: [UInt64: Ending] = [:]
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
    _ upload: AssetUpload, named name: String, of total: Int64?, _ ticket: String,
    for grant: UploadGrant,
    atMostUntil lastEnd: Timestamp
  ) -> (UploadLease, former: Ended?) {
    state.withLock { state in
      let turn = state.nextTurn()
      let entry = Entry(
        upload: upload, grant: grant, name: name, total: total, turn: turn, lastEnd: lastEnd)
      state.finished[ticket] = nil
      let former = state.entries.updateValue(entry, forKey: ticket).map(Ended.init)
      return (UploadLease(ticket: ticket, number: turn, name: name), former)
    }
  }

  /// A name for an upload that is to begin, and that of the one whose place it takes.
  func names(for ticket: String) -> (own: String, former: String?) {
    state.withLock { ("upload \($0.nextTurn())", $0.entries[ticket]?.name) }
  }

  /// Takes an upload from whoever sends it now: how much has come, and whose turn it is to go on;
  /// nil where there is none.
  func interrupt(_ ticket: String) -> (received: Int64, turn: UploadLease)? {
    state.withLock { state in
      guard let entry = state.entries[ticket] else { return nil }
      let turn = state.nextTurn()
      state.entries[ticket]?.turn = turn
      return (entry.received, UploadLease(ticket: ticket, number: turn, name: entry.name))
    }
  }

  /// Counts an upload, by its name and size, towards its sender's quota.
  ///
  /// It is called while nobody can end the upload: what is counted after its end would count for
  /// ever.
  typealias Counting = (String, Int64) throws(CloudError) -> Void

  /// Goes on with an upload; nil where another part of it is wanted, or nothing of it is there.
  func resume(
    _ ticket: String, from start: Int64, of total: Int64, counting: Counting
  ) throws(CloudError) -> UploadLease? {
    try state.withLock { (state) throws(CloudError) in
      guard let entry = state.entries[ticket], entry.isWaiting, entry.received == start,
        entry.total ?? total == total
      else { return nil }
      try counting(entry.name, total)
      let turn = state.nextTurn()
      state.entries[ticket]?.total = total
      state.entries[ticket]?.turn = turn
      state.entries[ticket]?.waitsUntil = nil
      return UploadLease(ticket: ticket, number: turn, name: entry.name)
    }
  }

  /// Takes bytes of a request whose turn it is; what has come counts, where nobody has said how
  /// much will.
  ///
  /// - Returns: The upload, where it has gathered enough for the disk.
  func gather(_ bytes: [UInt8], _ turn: UploadLease, counting: Counting) throws -> AssetUpload? {
    try state.withLock { state in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else {
        throw Self.ended
      }
      let received = entry.received + Int64(bytes.count)
      if let total = entry.total, received > total {
        throw AssetStorageError(
          .overlong, "More bytes came than the \(total) of the file. Send it anew.")
      }
      state.entries[turn.ticket]?.received = received
      let isFull = entry.upload.gather(bytes)
      if entry.total == nil { try counting(entry.name, received) }
      return isFull ? entry.upload : nil
    }
  }

  /// Notes that the connection of a request broke.
  ///
  /// - Parameter end: Until when its rest is waited for.
  /// - Returns: Whether the upload waits; else another request goes on with it.
  func leave(_ turn: UploadLease, until end: Timestamp, counting: Counting) throws(CloudError)
    -> Bool
  {
    try state.withLock { (state) throws(CloudError) in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number else { return false }
      try counting(entry.name, entry.size)
      state.entries[turn.ticket]?.waitsUntil = min(end, entry.lastEnd)
      return true
    }
  }

  /// Whether an upload came by a ticket of which somebody may still want to know, or that may still
  /// go on.
  func knows(_ ticket: String, at now: Timestamp) -> Bool {
    state.withLock { state in
      if let entry = state.entries[ticket] { return entry.waitsUntil.map { now < $0 } ?? true }
      return state.isEnding(ticket) || state.finished[ticket].map { now < $0.expires } ?? false
    }
  }

  /// Whether it is still the same turn of an upload.
  func has(_ turn: UploadLease) -> Bool {
    state.withLock { $0.entries[turn.ticket]?.turn == turn.number }
  }

  /// Takes out the uploads that wait and that nobody can go on with, or that are too many: of who
  /// has the most of them, the one that waits longest.
  func endSurplus(at now: Timestamp) -> [Ended] {
    state.withLock { $0.endSurplus(at: now) }
  }

  /// Refuses to end an upload of which a part is missing.
  func checkIsWhole(_ turn: UploadLease) throws(AssetStorageError) {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let entry = state.entries[turn.ticket], entry.turn == turn.number,
        let total = entry.total,
        entry.received != total
      else { return }
      throw AssetStorageError(
        .incomplete,
        "The body ended after \(entry.received) of \(total) bytes of the file. Send the rest.")
    }
  }

  /// Takes an upload out whose file is to be brought to the disk; whoever asks for it meanwhile
  /// waits for `end`.
  func beginEnd(_ turn: UploadLease) throws(AssetStorageError) -> AssetUpload {
    try state.withLock { (state) throws(AssetStorageError) in
      let upload = try state.take(turn)
      state.ending[turn.number] = Ending(ticket: turn.ticket)
      return upload
    }
  }

  /// Notes what came of the end of an upload, and remembers the receipt of a file that came whole.
  func end(_ turn: UploadLease, as asset: AssetValue?, until expires: Timestamp) {
    let askers = state.withLock { state in
      if let asset { state.noteFinished(turn, asset, until: expires) }
      return state.ending.removeValue(forKey: turn.number)?.askers ?? []
    }
    for asker in askers { asker.resume() }
  }

  /// Waits for the end of an upload, while that is brought to the disk and was not begun anew.
  func waitForEnd(_ ticket: String) async {
    await withCheckedContinuation { asker in
      let isOver = state.withLock { state in
        guard state.isEnding(ticket),
          let turn = state.ending.first(where: { $0.value.ticket == ticket })?.key
        else {
          return true
        }
        state.ending[turn]?.askers.append(asker)
        return false
      }
      if isOver { asker.resume() }
    }
  }

  /// The receipt of a file that came whole; nil where nobody remembers one.
  func finished(_ ticket: String, at now: Timestamp) -> AssetValue? {
    state.withLock { state in
      guard let finished = state.finished[ticket], now < finished.expires else { return nil }
      return finished.asset
    }
  }

  /// Takes an upload out that is given up.
  func take(_ turn: UploadLease) throws(AssetStorageError) -> AssetUpload {
    try state.withLock { (state) throws(AssetStorageError) in try state.take(turn) }
  }

  fileprivate static let ended = AssetStorageError(
    .ended, "another request goes on with the upload")
}

extension IncomingUploads.State {
  /// Whether the upload of a ticket is brought to the disk, and no other one was begun by it.
  fileprivate func isEnding(_ ticket: String) -> Bool {
    entries[ticket] == nil && ending.values.contains { $0.ticket == ticket }
  }

  fileprivate mutating func take(_ turn: UploadLease) throws(AssetStorageError) -> AssetUpload {
    guard entries[turn.ticket]?.turn == turn.number,
      let entry = entries.removeValue(forKey: turn.ticket)
    else {
      throw IncomingUploads.ended
    }
    return entry.upload
  }

  fileprivate mutating func noteFinished(
    _ turn: UploadLease, _ asset: AssetValue, until expires: Timestamp
  ) {
    // One that was begun anew meanwhile says itself how much of it there is.
    guard entries[turn.ticket] == nil else { return }
    finished[turn.ticket] = IncomingUploads.Finished(
      asset: asset, expires: expires, turn: turn.number)
    guard finished.count > Limits.finishedUploads else { return }
    if let first = finished.min(by: { $0.value.turn < $1.value.turn }) { finished[first.key] = nil }
  }

  fileprivate mutating func endSurplus(at now: Timestamp) -> [IncomingUploads.Ended] {
    finished = finished.filter { now < $0.value.expires }
    let waiting = entries.filter(\.value.isWaiting)
    let isOver = { (entry: IncomingUploads.Entry) in entry.waitsUntil.map { $0 <= now } ?? false }
    var surplus = waiting.filter { isOver($0.value) }.map(\.key)
    // Of each user, those that wait longest come first.
    var ofUsers = Dictionary(
      grouping: waiting.filter { !isOver($0.value) }, by: \.value.grant.userRecordName
    )
    .mapValues { uploads in
      uploads.map { (ticket: $0.key, turn: $0.value.turn) }.sorted { $0.turn < $1.turn }[...]
    }
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
package struct UploadLease: Hashable, Sendable {
  let ticket: String
  let number: UInt64
  /// What the upload counts by.
  let name: String
}
