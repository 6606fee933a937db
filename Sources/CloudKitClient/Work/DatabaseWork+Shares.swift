import CloudEncryption
import CloudRecords
import CloudWire
import Foundation

/// Whether a share's root record is fetched too, and with which fields.
struct RootRecordOption: Sendable {
  var wantsRoot = false
  /// The fields to fetch; nil for all.
  var desiredKeys: [CKRecord.FieldKey]?
}

extension DatabaseWork {
  /// Fetches the metadata of shares by their URLs.
  ///
  /// - Parameter handover: The token with which the server's page handed the share over.
  func shareMetadata(
    _ urls: [URL], _ root: RootRecordOption, handover: String? = nil,
    _ each: (URL, Result<CKShare.Metadata, CKError>) async -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    var complete: [URL] = []
    for url in urls {
      if url.isLinkIncomplete {
        await each(url, .failure(Self.incompleteLink))
      } else {
        complete.append(url)
      }
    }
    try await inBatches(complete) { batch throws(CKError) in
      let wanted = batch.map {
        var wanted = lookup($0.shortIdentifier, root)
        wanted.handover = handover
        return wanted
      }
      let answers = try await call(SharesResolveRequest(shares: wanted)).results
      try check(answers.count, of: batch.count)
      for (url, answer) in zip(batch, answers) {
        await each(url, await metadata(answer, root, url.shareLink, coding))
      }
    }
  }

  /// Accepts shares.
  func accept(
    _ metadatas: [CKShare.Metadata],
    _ each: (CKShare.Metadata, Result<CKShare, CKError>) async -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    var proven: [(metadata: CKShare.Metadata, lookup: ShareLookup)] = []
    for metadata in metadatas {
      var lookup = lookup(metadata.shortIdentifier, RootRecordOption())
      do throws(CKError) {
        lookup.joinProof = try await session.vault.joinProof(for: metadata, coding, options)
        proven.append((metadata, lookup))
      } catch {
        await each(metadata, .failure(error))
      }
    }
    try await inBatches(proven) { batch throws(CKError) in
      let answers = try await call(SharesAcceptRequest(shares: batch.map(\.lookup))).results
      try check(answers.count, of: batch.count)
      for (item, answer) in zip(batch, answers) {
        await each(
          item.metadata,
          await metadata(
            answer, RootRecordOption(), item.metadata.link, coding
          ).map(\.share))
      }
    }
  }

  private static let incompleteLink = CKError(
    .invalidArguments,
    "The link is incomplete: a part after the number sign is missing. Copy the whole link.")

  /// Requests access to shares.
  func requestAccess(_ urls: [URL], _ each: (URL, Result<Void, CKError>) -> Void)
    async throws(CKError)
  {
    try await inBatches(urls) { batch throws(CKError) in
      let wanted = batch.map { lookup($0.shortIdentifier, RootRecordOption()) }
      let answers = try await call(SharesRequestAccessRequest(shares: wanted)).results
      try check(answers.count, of: batch.count)
      for (url, answer) in zip(batch, answers) {
        switch answer {
        case .share: each(url, .success(()))
        case .failed(_, let error): each(url, .failure(CKError(error)))
        }
      }
    }
  }

  private func lookup(_ shortIdentifier: String, _ root: RootRecordOption) -> ShareLookup {
    var lookup = ShareLookup(shortIdentifier: shortIdentifier)
    lookup.wantsRoot = root.wantsRoot
    lookup.desiredKeys = root.desiredKeys
    return lookup
  }

  private func metadata(
    _ answer: SharesResponse.Item, _ root: RootRecordOption, _ link: ShareLink?,
    _ coding: RecordCoding
  ) async -> Result<CKShare.Metadata, CKError> {
    switch answer {
    case .failed(_, let error): return .failure(CKError(error))
    case .share(let received):
      guard let share = coding.record(received.share.record) as? CKShare else {
        return .failure(
          CKError(
            .internalError,
            "The server's response does not contain the share \(received.shortIdentifier)."))
      }
      do throws(CKError) {
        let root = try await self.root(of: received, root.desiredKeys, coding)
        return .success(coding.metadata(received, share, root, link))
      } catch {
        return .failure(error)
      }
    }
  }

  private func root(
    of received: ShareMetadata, _ desiredKeys: [CKRecord.FieldKey]?, _ coding: RecordCoding
  ) async throws(CKError) -> CKRecord? {
    guard let shown = received.root else { return nil }
    return try await fetched(.record(shown), coding, desiredKeys: desiredKeys).get()
  }
}

extension RecordCoding {
  fileprivate func metadata(
    _ received: ShareMetadata, _ share: CKShare, _ root: CKRecord?, _ link: ShareLink?
  ) -> CKShare.Metadata {
    let zoneID = zoneID(received.zone)
    let isOfZone = received.share.record.identifier.recordName == ShareDetails.zoneShareName
    return CKShare.Metadata(
      containerIdentifier: received.container.container, shortIdentifier: received.shortIdentifier,
      share: share,
      rootID: isOfZone ? nil : received.rootName.map { CKRecord.ID(received: $0, zoneID: zoneID) },
      root: root,
      role: CKShare.ParticipantRole(received.role),
      status: received.acceptance.map(CKShare.ParticipantAcceptanceStatus.init) ?? .unknown,
      permission: CKShare.ParticipantPermission(received.permission),
      owner: identity(received.owner), link: link)
  }
}

extension URL {
  /// The short identifier at the end of a share's URL.
  fileprivate var shortIdentifier: String { lastPathComponent }

  /// The secret part of a share's URL; nil if there is none.
  fileprivate var shareLink: ShareLink? { fragment.flatMap { ShareLink(fragment: $0) } }

  fileprivate var isLinkIncomplete: Bool {
    shareLink == nil && fragment.map(ShareLink.hasLinkPrefix) == true
  }
}
