import CloudRecords
import RecordServer
internal import Synchronization

/// Uploads that can continue in another request, by the tickets of their addresses.
///
/// One request at a time holds the lease of an upload. A request for the number of received bytes
/// revokes that lease: the client sends it because its former connection broke, which the server
/// may not know yet.
///
///     begin ──▶ leased to a request ──▶ ending ──▶ finished, or discarded
///                 ▲          │ revoked, or the connection broke
///                 │          ▼
///          resumed└─── waiting ──▶ discarded: expired, or too many wait
///
/// While an upload is `ending`, its file is synced; requests for its progress wait for the end.
///
/// An upload's address stays valid while the upload waits, and a finished upload's receipt is
/// available for as long.
final class IncomingUploads: Sendable {
  fileprivate struct Entry {
    let upload: AssetUpload
    let grant: UploadGrant
    /// The name under which the upload counts towards the user's quota.
    let name: String
    /// The length of the file; nil while it is unknown.
    var total: Int64?
    var received: Int64 = 0
    var lease: UInt64
    /// The time at which the upload is discarded, even if it is resumed repeatedly.
    let lastEnd: Timestamp
    /// The time until which the upload waits to be resumed; nil while a request sends it.
    var waitsUntil: Timestamp?

    var isWaiting: Bool { waitsUntil != nil }

    /// The bytes that count: the declared length, or the received bytes if they are more.
    var size: Int64 { max(received, total ?? 0) }
  }

  /// An upload that was removed before its end.
  ///
  /// The caller discards it and stops counting it.
  struct Ended {
    let name: String
    let upload: AssetUpload
    let grant: UploadGrant
  }

  /// A finished upload, whose receipt is available to a client that missed the response.
  fileprivate struct Finished {
    let asset: AssetValue
    let expires: Timestamp
    let lease: UInt64
  }

  /// An upload that was received completely and whose file is being synced.
  fileprivate struct Ending {
    let ticket: String
    /// Requests that wait for the end.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  fileprivate struct State {
    var entries: [String: Entry] = [:]
    /// The uploads whose files are being synced, by their last lease.
    var ending: [UInt64: Ending] = [:]
    var finished: [String: Finished] = [:]
    var lastLeaseNumber: UInt64 = 0

    mutating func nextLeaseNumber() -> UInt64 {
      lastLeaseNumber += 1
      return lastLeaseNumber
    }
  }

  private let state = Mutex(State())

  /// Adds an upload, and replaces an earlier one with the same ticket.
  ///
  /// - Returns: The lease, and the replaced upload.
  func begin(
    _ upload: AssetUpload, named name: String, of total: Int64?, _ ticket: String,
    for grant: UploadGrant,
    atMostUntil lastEnd: Timestamp
  ) -> (UploadLease, former: Ended?) {
    state.withLock { state in
      let lease = state.nextLeaseNumber()
      let entry = Entry(
        upload: upload, grant: grant, name: name, total: total, lease: lease, lastEnd: lastEnd)
      state.finished[ticket] = nil
      let former = state.entries.updateValue(entry, forKey: ticket).map(Ended.init)
      return (UploadLease(ticket: ticket, number: lease, name: name), former)
    }
  }

  /// Returns the quota name of a new upload, and that of the upload it will replace.
  func names(for ticket: String) -> (own: String, former: String?) {
    state.withLock { ("upload \($0.nextLeaseNumber())", $0.entries[ticket]?.name) }
  }

  /// Revokes the lease of the current request, and returns the received bytes and a new lease; nil
  /// if there is no such upload.
  func interrupt(_ ticket: String) -> (received: Int64, lease: UploadLease)? {
    state.withLock { state in
      guard let entry = state.entries[ticket] else { return nil }
      let lease = state.nextLeaseNumber()
      state.entries[ticket]?.lease = lease
      return (entry.received, UploadLease(ticket: ticket, number: lease, name: entry.name))
    }
  }

  /// Counts an upload, by its name and size, towards its user's quota.
  ///
  /// The closure is called under the lock, because an upload that was counted after its end would
  /// count forever.
  typealias Counting = (String, Int64) throws(CloudError) -> Void

  /// Resumes an upload; nil if it does not wait, or continues at another offset or with another
  /// length.
  func resume(
    _ ticket: String, from start: Int64, of total: Int64, counting: Counting
  ) throws(CloudError) -> UploadLease? {
    try state.withLock { (state) throws(CloudError) in
      guard let entry = state.entries[ticket], entry.isWaiting, entry.received == start,
        entry.total ?? total == total
      else { return nil }
      try counting(entry.name, total)
      let lease = state.nextLeaseNumber()
      state.entries[ticket]?.total = total
      state.entries[ticket]?.lease = lease
      state.entries[ticket]?.waitsUntil = nil
      return UploadLease(ticket: ticket, number: lease, name: entry.name)
    }
  }

  /// Buffers bytes of the request that holds the lease.
  ///
  /// If the file's length is unknown, the received bytes count towards the quota.
  ///
  /// - Returns: The upload, if its buffer is full and should be flushed.
  func gather(_ bytes: [UInt8], _ lease: UploadLease, counting: Counting) throws -> AssetUpload? {
    try state.withLock { state in
      guard let entry = state.entries[lease.ticket], entry.lease == lease.number else {
        throw Self.ended
      }
      let received = entry.received + Int64(bytes.count)
      if let total = entry.total, received > total {
        throw AssetStorageError(
          .overlong, "More bytes arrived than the \(total) of the file. Send it again.")
      }
      state.entries[lease.ticket]?.received = received
      let isFull = entry.upload.gather(bytes)
      if entry.total == nil { try counting(entry.name, received) }
      return isFull ? entry.upload : nil
    }
  }

  /// Records that the connection of a request broke.
  ///
  /// - Parameter end: The time until which the upload may be resumed.
  /// - Returns: Whether the upload waits; false if another request has resumed it.
  func leave(_ lease: UploadLease, until end: Timestamp, counting: Counting) throws(CloudError)
    -> Bool
  {
    try state.withLock { (state) throws(CloudError) in
      guard let entry = state.entries[lease.ticket], entry.lease == lease.number else {
        return false
      }
      try counting(entry.name, entry.size)
      state.entries[lease.ticket]?.waitsUntil = min(end, entry.lastEnd)
      return true
    }
  }

  /// Whether an upload with this ticket is in progress, or its receipt is still available.
  func hasUpload(_ ticket: String, at now: Timestamp) -> Bool {
    state.withLock { state in
      if let entry = state.entries[ticket] { return entry.waitsUntil.map { now < $0 } ?? true }
      return state.isEnding(ticket) || state.finished[ticket].map { now < $0.expires } ?? false
    }
  }

  /// Whether the lease is still valid.
  func has(_ lease: UploadLease) -> Bool {
    state.withLock { $0.entries[lease.ticket]?.lease == lease.number }
  }

  /// Removes expired uploads and those above the limits.
  ///
  /// The longest-waiting uploads of the users with the most waiting uploads are removed first.
  func endSurplus(at now: Timestamp) -> [Ended] {
    state.withLock { $0.endSurplus(at: now) }
  }

  /// Throws if a part of the upload is missing.
  func checkIsWhole(_ lease: UploadLease) throws(AssetStorageError) {
    try state.withLock { (state) throws(AssetStorageError) in
      guard let entry = state.entries[lease.ticket], entry.lease == lease.number,
        let total = entry.total,
        entry.received != total
      else { return }
      throw AssetStorageError(
        .incomplete,
        "The body ended after \(entry.received) of \(total) bytes of the file. Send the rest.")
    }
  }

  /// Removes an upload whose file will be synced.
  ///
  /// Requests for it wait until `end` is called.
  func beginEnd(_ lease: UploadLease) throws(AssetStorageError) -> AssetUpload {
    try state.withLock { (state) throws(AssetStorageError) in
      let upload = try state.take(lease)
      state.ending[lease.number] = Ending(ticket: lease.ticket)
      return upload
    }
  }

  /// Records the end of an upload, and remembers the receipt if it succeeded.
  func end(_ lease: UploadLease, as asset: AssetValue?, until expires: Timestamp) {
    let waiters = state.withLock { state in
      if let asset { state.noteFinished(lease, asset, until: expires) }
      return state.ending.removeValue(forKey: lease.number)?.waiters ?? []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits while the upload's file is synced, unless the upload was begun again.
  func waitForEnd(_ ticket: String) async {
    await withCheckedContinuation { waiter in
      let isOver = state.withLock { state in
        guard state.isEnding(ticket),
          let lease = state.ending.first(where: { $0.value.ticket == ticket })?.key
        else {
          return true
        }
        state.ending[lease]?.waiters.append(waiter)
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  /// Returns the asset of a finished upload, with its receipt; nil if there is none.
  func finished(_ ticket: String, at now: Timestamp) -> AssetValue? {
    state.withLock { state in
      guard let finished = state.finished[ticket], now < finished.expires else { return nil }
      return finished.asset
    }
  }

  /// Removes an upload that will be discarded.
  func take(_ lease: UploadLease) throws(AssetStorageError) -> AssetUpload {
    try state.withLock { (state) throws(AssetStorageError) in try state.take(lease) }
  }

  fileprivate static let ended = AssetStorageError(
    .ended, "another request has resumed the upload")
}

extension IncomingUploads.State {
  /// Whether the file of this ticket is being synced and no new upload has begun with it.
  fileprivate func isEnding(_ ticket: String) -> Bool {
    entries[ticket] == nil && ending.values.contains { $0.ticket == ticket }
  }

  fileprivate mutating func take(_ lease: UploadLease) throws(AssetStorageError) -> AssetUpload {
    guard entries[lease.ticket]?.lease == lease.number,
      let entry = entries.removeValue(forKey: lease.ticket)
    else {
      throw IncomingUploads.ended
    }
    return entry.upload
  }

  fileprivate mutating func noteFinished(
    _ lease: UploadLease, _ asset: AssetValue, until expires: Timestamp
  ) {
    // An upload that was begun again reports its own progress.
    guard entries[lease.ticket] == nil else { return }
    finished[lease.ticket] = IncomingUploads.Finished(
      asset: asset, expires: expires, lease: lease.number)
    guard finished.count > Limits.finishedUploads else { return }
    if let first = finished.min(by: { $0.value.lease < $1.value.lease }) {
      finished[first.key] = nil
    }
  }

  fileprivate mutating func endSurplus(at now: Timestamp) -> [IncomingUploads.Ended] {
    finished = finished.filter { now < $0.value.expires }
    let waiting = entries.filter(\.value.isWaiting)
    let isOver = { (entry: IncomingUploads.Entry) in entry.waitsUntil.map { $0 <= now } ?? false }
    var surplus = waiting.filter { isOver($0.value) }.map(\.key)
    // For each user, sorted so that the longest-waiting come first.
    var ofUsers = Dictionary(
      grouping: waiting.filter { !isOver($0.value) }, by: \.value.grant.userRecordName
    )
    .mapValues { uploads in
      uploads.map { (ticket: $0.key, lease: $0.value.lease) }.sorted { $0.lease < $1.lease }[...]
    }
    for (user, uploads) in ofUsers where uploads.count > Limits.waitingUploadsOfUser {
      let kept = uploads.suffix(Limits.waitingUploadsOfUser)
      surplus += uploads.prefix(uploads.count - kept.count).map(\.ticket)
      ofUsers[user] = kept
    }
    var count = ofUsers.values.reduce(0) { $0 + $1.count }
    while count > Limits.waitingUploads {
      let most = ofUsers.max {
        ($0.value.count, $1.value.first?.lease ?? 0) < ($1.value.count, $0.value.first?.lease ?? 0)
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

/// A request's right to append to an upload.
package struct UploadLease: Hashable, Sendable {
  let ticket: String
  let number: UInt64
  /// The name under which the upload counts towards the quota.
  let name: String
}
