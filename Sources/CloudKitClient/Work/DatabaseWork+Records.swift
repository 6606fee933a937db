import CloudEncryption
import CloudRecords
import CloudWire
import Foundation
import Synchronization

extension DatabaseWork {
  /// Fetches records and the files of their assets.
  ///
  /// - Parameter each: Called once for each record, in the order of the IDs.
  func records(
    _ recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]?,
    progress: (@Sendable (CKRecord.ID, Double) -> Void)? = nil,
    _ each: (CKRecord.ID, Result<CKRecord, CKError>) async -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    try await inBatches(recordIDs) { batch throws(CKError) in
      var request = RecordsLookupRequest()
      request.desiredKeys = desiredKeys
      request.records = batch.map {
        RecordsLookupRequest.Wanted(
          recordName: coding.recordName($0), zone: coding.reference($0.zoneID))
      }
      let answers = try await call(request).records
      try check(answers.count, of: batch.count)
      for case (let recordID, .failed(_, let error)) in zip(batch, answers) {
        await note(error, in: recordID.zoneID, coding)
      }
      let end = await MissingKeys.$noted.withValue(MissingKeys()) {
        await fetchEach(
          zip(batch, answers), coding, desiredKeys: desiredKeys, progress: progress, each)
      }
      if let end { throw end }
    }
  }

  /// Downloads the files of fetched records and reports each record, one after the other.
  ///
  /// - Parameters:
  ///   - desiredKeys: The fields that the request asked for; nil for all.
  ///   - ends: Whether an error ends the fetch. The remaining records fail with it.
  /// - Returns: The error that ended the fetch; nil if none did.
  func fetchEach(
    _ answers: some Sequence<(CKRecord.ID, RecordResult)>, _ coding: RecordCoding,
    desiredKeys: [CKRecord.FieldKey]?,
    endedBy ends: (CKError) -> Bool = { $0.code == .operationCancelled },
    progress: (@Sendable (CKRecord.ID, Double) -> Void)? = nil,
    _ each: (CKRecord.ID, Result<CKRecord, CKError>) async -> Void
  ) async -> CKError? {
    var end: CKError?
    for (recordID, answer) in answers {
      let result =
        if let end { Result<CKRecord, CKError>.failure(end) } else {
          await fetched(answer, coding, desiredKeys: desiredKeys) { progress?(recordID, $0) }
        }
      if case .failure(let error) = result, ends(error) { end = error }
      await each(recordID, result)
    }
    return end
  }

  /// Checks that the response contains one result per item.
  func check(_ answers: Int, of items: Int) throws(CKError) {
    guard answers == items else {
      throw CKError(
        .internalError, "The server's response contains \(answers) results for \(items) items.")
    }
  }

  /// Decodes a fetched record and downloads its files.
  func fetched(
    _ answer: RecordResult, _ coding: RecordCoding, desiredKeys: [CKRecord.FieldKey]?,
    _ progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async -> Result<CKRecord, CKError> {
    switch answer {
    case .failed(_, let error): return .failure(CKError(error))
    case .deleted(let gone):
      return .failure(CKError(.unknownItem, "The record \(gone.recordName) was deleted."))
    case .record(let shown):
      do throws(CKError) {
        let record = try await opened(shown.record, coding, desiredKeys.map { Set($0) })
        if let share = record as? CKShare { session.vault.observe(share, in: scope, coding) }
        try await fetchFiles(of: record, shown.record, progress)
        return .success(record)
      } catch {
        return .failure(error)
      }
    }
  }

  private func opened(
    _ record: CloudRecord, _ coding: RecordCoding, _ wanted: Set<String>?
  ) async throws(CKError) -> CKRecord {
    do throws(CKError) {
      return coding.record(try await session.vault.open(record, wanted: wanted, options))
    } catch {
      guard leavesSealed, error.code != .operationCancelled else { throw error }
      let (left, unopened) = await session.vault.openEach(record, options)
      let record = coding.record(left)
      if !unopened.isEmpty {
        record.state.withLock { $0.unopened = RecordState.Unopened(fields: unopened, error: error) }
      }
      return record
    }
  }

  private func fetchFiles(
    of record: CKRecord, _ sealed: CloudRecord, _ progress: @escaping @Sendable (Double) -> Void
  ) async throws(CKError) {
    guard files != .none else { return }
    do throws(CKError) {
      try await AssetDownload(work: self, progress: progress).download(of: record, sealed: sealed)
    } catch {
      guard files == .wanted else { throw error }
    }
  }
}

extension RecordCoding {
  /// A zone in requests.
  func reference(_ zoneID: CKRecordZone.ID) -> ZoneReference {
    let zone = identifier(zoneID)
    let isUnknown = zone.ownerName == RecordZoneIdentifier.currentOwnerName
    return ZoneReference(zoneName: zone.zoneName, ownerName: isUnknown ? nil : zone.ownerName)
  }
}
