package import CloudRecords
import CloudWire
import Synchronization

/// The files that users have sent and that no record holds yet, where a quota bounds what they may
/// come to.
///
/// They live in memory: each is forgotten when a record takes it, or when its receipt is good no
/// more. A restart forgets them all, and the files go in their time. An upload counts from its
/// beginning until its bytes are a file, or are removed.
final class UnreferencedFiles: Sendable {
  /// Who has sent files, to a database of which kind.
  struct Sender: Hashable, Sendable {
    let realm: Realm
    let userRecordName: String
    let isPublic: Bool
  }

  /// What is counted.
  enum Item: Hashable, Sendable {
    /// A whole file, by its checksum.
    case file(String)
    /// What comes of a file, or waits for its rest, by a name that no other upload has.
    case upload(String)
  }

  private struct Share {
    var size: Int64
    /// Nil for as long as nobody releases it.
    var until: Timestamp?
  }

  private let shares = Mutex<[Sender: [Item: Share]]>([:])

  /// Counts a file or an upload; counted again, it is one.
  ///
  /// - Parameter former: What counted in its place until now.
  /// - Returns: False where there would be more bytes than `most`, and it was not counted.
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

  /// Forgets files that records hold, and uploads that have ended.
  func release(_ items: some Sequence<Item>, of sender: Sender) {
    shares.withLock { shares in
      guard var own = shares.removeValue(forKey: sender) else { return }
      for item in items { own[item] = nil }
      if !own.isEmpty { shares[sender] = own }
    }
  }
}

extension RecordServer {
  /// Counts a file that somebody has sent, until a record holds it.
  ///
  /// - Parameter upload: What was counted while it came.
  /// - Throws: `QUOTA_EXCEEDED` where the sender's files that no record holds come to more than a
  ///   whole database may have.
  package func takeUnheldFile(
    _ checksum: AssetChecksum, insteadOf upload: String? = nil, size: Int64, for grant: UploadGrant
  ) throws(CloudError) {
    let end = environment.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    try take(
      .file(checksum.text), insteadOf: upload.map { .upload($0) }, size: size, for: grant,
      until: end)
  }

  /// Counts an upload until it is released: for as long as its bytes are on the disk.
  ///
  /// - Parameters:
  ///   - name: What the upload alone is known by.
  ///   - former: An upload whose place it takes, and that is removed then.
  ///   - size: How long the file will be, or as much as has come of it.
  ///   - now: When it is counted, where whoever counts it holds a lock.
  /// - Throws: `QUOTA_EXCEEDED`, as for whole files.
  package func takeUpload(
    _ name: String, insteadOf former: String? = nil, size: Int64, for grant: UploadGrant,
    at now: Timestamp? = nil
  ) throws(CloudError) {
    try take(
      .upload(name), insteadOf: former.map { .upload($0) }, size: size, for: grant, until: nil,
      at: now)
  }

  /// The bytes of an upload are gone.
  package func releaseUpload(_ name: String, for grant: UploadGrant) {
    guard mostUnheldBytes(for: grant) != nil else { return }
    unheldFiles.release(CollectionOfOne(.upload(name)), of: UnreferencedFiles.Sender(grant))
  }

  private func mostUnheldBytes(for grant: UploadGrant) -> Int64? {
    grant.scope == .public ? limits.publicDatabaseBytes : limits.privateDatabaseBytes
  }

  private func take(
    _ item: UnreferencedFiles.Item, insteadOf former: UnreferencedFiles.Item? = nil, size: Int64,
    for grant: UploadGrant,
    until end: Timestamp?, at now: Timestamp? = nil
  ) throws(CloudError) {
    guard let most = mostUnheldBytes(for: grant) else { return }
    let (sender, now) = (UnreferencedFiles.Sender(grant), now ?? environment.now())
    guard
      unheldFiles.take(
        item, insteadOf: former, size: size, of: sender, most: most, until: end, at: now)
    else {
      throw CloudError(
        .quotaExceeded,
        "The files that were sent and that no record holds yet would have more than \(most) bytes. Save the records that they are for, or wait a day."
      )
    }
  }

  /// The files of a batch whose records were saved are held from now on.
  func releaseFiles(of batch: RecordBatch, _ outcome: BatchOutcome) {
    guard limits.publicDatabaseBytes ?? limits.privateDatabaseBytes != nil else { return }
    let checksums = zip(batch.items, outcome.fates).flatMap { item, fate -> [String] in
      if case .failed = fate { return [] }
      return item.operation.record.fields.flatMap(\.field.checksums)
    }
    guard !checksums.isEmpty else { return }
    unheldFiles.release(
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
  /// The files that the client names.
  fileprivate var checksums: [String] {
    switch content {
    case .stated(.asset(let asset)), .inferred(.asset(let asset)): [asset.fileChecksum]
    case .stated(.list(of: .asset, let members)), .inferred(.list(of: .asset, let members)):
      members.compactMap { if case .asset(let asset) = $0 { asset.fileChecksum } else { nil } }
    default: []
    }
  }
}
