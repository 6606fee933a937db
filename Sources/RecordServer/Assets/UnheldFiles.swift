package import CloudRecords
import CloudWire
import Synchronization

/// The files that users have sent and that no record holds yet, where a quota bounds what they may come to.
///
/// They live in memory: each is forgotten when a record takes it, or when its receipt is good no more. A restart forgets them all, and the files go in their time.
final class UnheldFiles: Sendable {
  /// Who has sent files, to a database of which kind.
  struct Sender: Hashable, Sendable {
    let realm: Realm
    let userRecordName: String
    let isPublic: Bool
  }

  private struct File {
    var size: Int64
    var until: Timestamp
  }

  private let files = Mutex<[Sender: [String: File]]>([:])

  /// Counts a file, by its checksum; sent again, it is one.
  ///
  /// - Returns: False where there would be more bytes than `most`, and it was not counted.
  func take(
    _ checksum: String, size: Int64, of sender: Sender, most: Int64, until end: Timestamp, at now: Timestamp
  ) -> Bool {
    files.withLock { files in
      var own = (files.removeValue(forKey: sender) ?? [:]).filter { now < $0.value.until }
      defer { if !own.isEmpty { files[sender] = own } }
      let others = own.reduce(0) { $0 + ($1.key == checksum ? 0 : $1.value.size) }
      guard size <= most - others else { return false }
      own[checksum] = File(size: size, until: end)
      return true
    }
  }

  /// Forgets files that records hold.
  func release(_ checksums: [String], of sender: Sender) {
    files.withLock { files in
      guard var own = files.removeValue(forKey: sender) else { return }
      for checksum in checksums { own[checksum] = nil }
      if !own.isEmpty { files[sender] = own }
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
    let isPublic = grant.scope == .public
    guard let most = isPublic ? limits.publicDatabaseBytes : limits.privateDatabaseBytes else { return }
    let sender = UnheldFiles.Sender(realm: grant.realm, userRecordName: grant.userRecordName, isPublic: isPublic)
    let now = environment.now()
    let end = now.adding(seconds: Int64(limits.assetReceiptSeconds))
    guard unheldFiles.take(checksum.text, size: size, of: sender, most: most, until: end, at: now) else {
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
      checksums,
      of: UnheldFiles.Sender(
        realm: batch.call.realm, userRecordName: batch.call.callerName, isPublic: batch.call.scope == .public))
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
