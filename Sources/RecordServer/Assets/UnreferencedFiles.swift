package import CloudRecords
import CloudWire
import Synchronization

/// The uploaded files that no record holds yet, for quotas that bound their total size.
///
/// A file counts until a record holds it or its receipt expires. An upload counts from its start
/// until it becomes a file or its bytes are removed. The counts are only in memory, so a restart
/// forgets them; the collector removes the files later.
final class UnreferencedFiles: Sendable {
  /// A user who uploads files, and the kind of database they are for.
  struct Sender: Hashable, Sendable {
    let realm: Realm
    let userRecordName: String
    let isPublic: Bool
  }

  /// An item that counts towards the quota.
  enum Item: Hashable, Sendable {
    /// A complete file, by its checksum.
    case file(String)
    /// An upload in progress, by its unique name.
    case upload(String)
  }

  private let usages = Mutex(UsagesBySender())

  /// Counts a file or an upload.
  ///
  /// Counting the same item again replaces its size and its end.
  ///
  /// - Parameter former: The item that the new one replaces.
  /// - Returns: Whether the item counts; false if the total would exceed `most` bytes.
  func take(
    _ item: Item, insteadOf former: Item? = nil, size: Int64, of sender: Sender, most: Int64,
    until end: Timestamp?,
    at now: Timestamp
  ) -> Bool {
    usages.withLock { usages in
      usages.removeExpired(at: now)
      let replaced = Set([item, former].compactMap(\.self))
      guard size <= most - usages.bytes(of: sender, without: replaced) else { return false }
      for item in replaced { usages.remove(item, of: sender) }
      usages.add(item, size: size, until: end, of: sender)
      return true
    }
  }

  /// Stops counting files that records hold, and uploads that have ended.
  func release(_ items: some Sequence<Item>, of sender: Sender) {
    usages.withLock { usages in
      for item in items { usages.remove(item, of: sender) }
    }
  }
}

/// The counted items of all senders.
///
/// Each operation takes a constant time on average, however many items a sender has.
private struct UsagesBySender {
  typealias Sender = UnreferencedFiles.Sender
  typealias Item = UnreferencedFiles.Item

  private struct Usage {
    var items: [Item: CountedSize] = [:]
    /// The total size of the items.
    var bytes: Int64 = 0
  }

  private struct CountedSize {
    let size: Int64
    /// The number of the item's `End`; nil if the item counts until it is removed.
    let end: UInt64?
  }

  /// The time at which an item stops counting.
  private struct End {
    let number: UInt64
    let time: Timestamp
    let sender: Sender
    let item: Item
  }

  private var usages: [Sender: Usage] = [:]
  /// The ends of items in the order of their addition, and so of their times, since all receipts
  /// have one duration.
  ///
  /// An end is obsolete if its item was removed, or added again.
  private var ends: [End] = []
  /// The number of the last end.
  private var lastEnd: UInt64 = 0
  /// The number of ends at the front that have passed.
  private var passedCount = 0
  /// The number of items with an end.
  private var endingCount = 0

  /// The total size of a sender's items, except those given.
  func bytes(of sender: Sender, without items: Set<Item>) -> Int64 {
    guard let usage = usages[sender] else { return 0 }
    return items.reduce(usage.bytes) { $0 - (usage.items[$1]?.size ?? 0) }
  }

  /// Adds an item that is not counted.
  mutating func add(_ item: Item, size: Int64, until time: Timestamp?, of sender: Sender) {
    var end: UInt64?
    if let time {
      lastEnd += 1
      end = lastEnd
      ends.append(End(number: lastEnd, time: time, sender: sender, item: item))
      endingCount += 1
    }
    usages[sender, default: Usage()].items[item] = CountedSize(size: size, end: end)
    usages[sender, default: Usage()].bytes += size
    if ends.count > 2 * endingCount + Self.obsoleteEnds { removeObsoleteEnds() }
  }

  mutating func remove(_ item: Item, of sender: Sender) {
    guard let counted = usages[sender]?.items.removeValue(forKey: item) else { return }
    usages[sender]?.bytes -= counted.size
    if usages[sender]?.items.isEmpty == true { usages[sender] = nil }
    if counted.end != nil { endingCount -= 1 }
  }

  mutating func removeExpired(at now: Timestamp) {
    while passedCount < ends.count, ends[passedCount].time <= now {
      let end = ends[passedCount]
      passedCount += 1
      if isCurrent(end) { remove(end.item, of: end.sender) }
    }
  }

  private func isCurrent(_ end: End) -> Bool {
    usages[end.sender]?.items[end.item]?.end == end.number
  }

  /// The number of obsolete ends that are kept even for few items, so that cleanups stay rare.
  private static let obsoleteEnds = 64

  private mutating func removeObsoleteEnds() {
    ends = ends[passedCount...].filter { isCurrent($0) }
    passedCount = 0
  }
}

extension RecordServer {
  /// Counts an uploaded file until a record holds it.
  ///
  /// - Parameter upload: The upload that counted until now.
  /// - Throws: `QUOTA_EXCEEDED` if the user's unreferenced files exceed the quota of a database.
  package func countUnreferencedFile(
    _ checksum: AssetChecksum, insteadOf upload: String? = nil, size: Int64, for grant: UploadGrant
  ) throws(CloudError) {
    let end = dependencies.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    try take(
      .file(checksum.text), insteadOf: upload.map { .upload($0) }, size: size, for: grant,
      until: end)
  }

  /// Counts an upload, whose bytes are on the disk, until it is released.
  ///
  /// - Parameters:
  ///   - name: The upload's unique name.
  ///   - former: An upload that this one replaces.
  ///   - size: The declared length of the file, or the number of received bytes.
  ///   - now: The current time, which callers that hold a lock read before; nil to read it here.
  /// - Throws: `QUOTA_EXCEEDED`, as for complete files.
  package func takeUpload(
    _ name: String, insteadOf former: String? = nil, size: Int64, for grant: UploadGrant,
    at now: Timestamp? = nil
  ) throws(CloudError) {
    try take(
      .upload(name), insteadOf: former.map { .upload($0) }, size: size, for: grant, until: nil,
      at: now)
  }

  /// Stops counting an upload whose bytes are removed.
  package func releaseUpload(_ name: String, for grant: UploadGrant) {
    guard maximumUnreferencedBytes(for: grant) != nil else { return }
    unreferencedFiles.release(CollectionOfOne(.upload(name)), of: UnreferencedFiles.Sender(grant))
  }

  private func maximumUnreferencedBytes(for grant: UploadGrant) -> Int64? {
    grant.scope == .public ? limits.publicDatabaseBytes : limits.privateDatabaseBytes
  }

  private func take(
    _ item: UnreferencedFiles.Item, insteadOf former: UnreferencedFiles.Item? = nil, size: Int64,
    for grant: UploadGrant,
    until end: Timestamp?, at now: Timestamp? = nil
  ) throws(CloudError) {
    guard let most = maximumUnreferencedBytes(for: grant) else { return }
    let (sender, now) = (UnreferencedFiles.Sender(grant), now ?? dependencies.now())
    guard
      unreferencedFiles.take(
        item, insteadOf: former, size: size, of: sender, most: most, until: end, at: now)
    else {
      throw CloudError(
        .quotaExceeded,
        "The uploaded files that no record holds yet would exceed \(most) bytes. Save their records, or wait until their receipts expire."
      )
    }
  }

  /// Stops counting the files of a batch's saved records.
  func releaseFiles(of batch: RecordBatch, _ outcome: BatchOutcome) {
    guard limits.publicDatabaseBytes ?? limits.privateDatabaseBytes != nil else { return }
    let checksums = zip(batch.items, outcome.outcomes).flatMap {
      item, operationOutcome -> [String] in
      guard case .saved = operationOutcome else { return [] }
      return item.operation.record.fields.flatMap(\.field.checksums)
    }
    guard !checksums.isEmpty else { return }
    unreferencedFiles.release(
      checksums.lazy.map(UnreferencedFiles.Item.file),
      of: UnreferencedFiles.Sender(
        realm: batch.call.realm, userRecordName: batch.call.callerName,
        isPublic: batch.call.scope == .public))
  }
}

extension UnreferencedFiles.Sender {
  init(_ grant: UploadGrant) {
    self.init(
      realm: grant.realm, userRecordName: grant.userRecordName, isPublic: grant.scope == .public)
  }
}

extension FieldInput {
  /// The checksums of files in the client's input.
  fileprivate var checksums: [String] {
    switch content {
    case .stated(.asset(let asset)), .inferred(.asset(let asset)): [asset.fileChecksum]
    case .stated(.list(of: .asset, let members)), .inferred(.list(of: .asset, let members)):
      members.compactMap { if case .asset(let asset) = $0 { asset.fileChecksum } else { nil } }
    default: []
    }
  }
}
