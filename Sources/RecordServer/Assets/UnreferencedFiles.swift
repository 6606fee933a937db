package import CloudRecords
import CloudWire
import Synchronization

/// The uploaded files that no record holds yet, for quotas that bound their total size.
///
/// They are kept in memory, each until a record holds it or its receipt expires. A restart forgets
/// them; the collector removes the files later. An upload counts from its start until it becomes a
/// file or its bytes are removed.
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

  private struct Share {
    var size: Int64
    /// The time at which it stops counting; nil until it is released.
    var until: Timestamp?
  }

  private let shares = Mutex<[Sender: [Item: Share]]>([:])

  /// Counts a file or an upload.
  ///
  /// Counting the same one again has no effect.
  ///
  /// - Parameter former: The item that it replaces.
  /// - Returns: False, without counting it, if the total would exceed `most` bytes.
  func take(
    _ item: Item, insteadOf former: Item? = nil, size: Int64, of sender: Sender, most: Int64,
    until end: Timestamp?,
    at now: Timestamp
  ) -> Bool {
    shares.withLock { shares in
      var own = (shares.removeValue(forKey: sender) ?? [:]).filter {
        $0.value.until.map { now < $0 } ?? true
      }
      defer { if !own.isEmpty { shares[sender] = own } }
      let others = own.reduce(0) { $0 + ($1.key == item || $1.key == former ? 0 : $1.value.size) }
      guard size <= most - others else { return false }
      if let former { own[former] = nil }
      own[item] = Share(size: size, until: end)
      return true
    }
  }

  /// Stops counting files that records hold, and uploads that have ended.
  func release(_ items: some Sequence<Item>, of sender: Sender) {
    shares.withLock { shares in
      guard var own = shares.removeValue(forKey: sender) else { return }
      for item in items { own[item] = nil }
      if !own.isEmpty { shares[sender] = own }
    }
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
    let end = environment.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    try take(
      .file(checksum.text), insteadOf: upload.map { .upload($0) }, size: size, for: grant,
      until: end)
  }

  /// Counts an upload until it is released, while its bytes are on the disk.
  ///
  /// - Parameters:
  ///   - name: The upload's unique name.
  ///   - former: An upload that it replaces.
  ///   - size: The declared length of the file, or the number of received bytes.
  ///   - now: The time, given by callers that hold a lock.
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
    let (sender, now) = (UnreferencedFiles.Sender(grant), now ?? environment.now())
    guard
      unreferencedFiles.take(
        item, insteadOf: former, size: size, of: sender, most: most, until: end, at: now)
    else {
      throw CloudError(
        .quotaExceeded,
        "The uploaded files that no record holds yet would exceed \(most) bytes. Save their records, or wait a day."
      )
    }
  }

  /// Stops counting the files of a batch whose records were saved.
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
