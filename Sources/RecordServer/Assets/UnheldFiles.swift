package import CloudRecords
import CloudWire
import Synchronization

/// The files that users have sent and that no record holds yet, where a quota bounds what they may come to.
///
/// They live in memory: each is forgotten when a record takes it, or when its receipt is good no more. A restart forgets them all, and the files go in their time.
/// An upload that can go on in another request counts from its beginning until it has ended, or its address has.
final class UnheldFiles: Sendable {
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
    /// What comes of a file, or waits for its rest, by the ticket of its address.
    case upload(String)
  }

  private struct Share {
    var size: Int64
    var until: Timestamp
  }

  private let shares = Mutex<[Sender: [Item: Share]]>([:])

  /// Counts a file or an upload; counted again, it is one.
  ///
  /// - Returns: False where there would be more bytes than `most`, and it was not counted.
  func take(
    _ item: Item, size: Int64, of sender: Sender, most: Int64, until end: Timestamp, at now: Timestamp
  ) -> Bool {
    shares.withLock { shares in
      var own = (shares.removeValue(forKey: sender) ?? [:]).filter { now < $0.value.until }
      defer { if !own.isEmpty { shares[sender] = own } }
      let others = own.reduce(0) { $0 + ($1.key == item ? 0 : $1.value.size) }
      guard size <= most - others else { return false }
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
  /// - Throws: `QUOTA_EXCEEDED` where the sender's files that no record holds come to more than a whole database may have.
  package func takeUnheldFile(
    _ checksum: AssetChecksum, size: Int64, for grant: UploadGrant
  ) throws(CloudError) {
    let end = environment.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    try take(.file(checksum.text), size: size, for: grant, until: end)
  }

  /// Counts an upload that can go on in another request, until it is released or its address has ended.
  ///
  /// - Parameters:
  ///   - ticket: What the upload is known by.
  ///   - size: How long the file will be, or as much as has come of it.
  /// - Throws: `QUOTA_EXCEEDED`, as for whole files.
  package func takeUpload(_ ticket: String, size: Int64, for grant: UploadGrant) throws(CloudError) {
    try take(.upload(ticket), size: size, for: grant, until: grant.expires)
  }

  /// An upload has ended.
  package func releaseUpload(_ ticket: String, for grant: UploadGrant) {
    guard mostUnheldBytes(for: grant) != nil else { return }
    unheldFiles.release(CollectionOfOne(.upload(ticket)), of: UnheldFiles.Sender(grant))
  }

  private func mostUnheldBytes(for grant: UploadGrant) -> Int64? {
    grant.scope == .public ? limits.publicDatabaseBytes : limits.privateDatabaseBytes
  }

  private func take(
    _ item: UnheldFiles.Item, size: Int64, for grant: UploadGrant, until end: Timestamp
  ) throws(CloudError) {
    guard let most = mostUnheldBytes(for: grant) else { return }
    let (sender, now) = (UnheldFiles.Sender(grant), environment.now())
    guard unheldFiles.take(item, size: size, of: sender, most: most, until: end, at: now) else {
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
      checksums.lazy.map(UnheldFiles.Item.file),
      of: UnheldFiles.Sender(
        realm: batch.call.realm, userRecordName: batch.call.callerName, isPublic: batch.call.scope == .public))
  }
}

extension UnheldFiles.Sender {
  init(_ grant: UploadGrant) {
    self.init(realm: grant.realm, userRecordName: grant.userRecordName, isPublic: grant.scope == .public)
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
