import CloudRecords
import CloudWire
import Foundation

extension DatabaseWork {
  /// Fetches all zones of the database.
  func allZones() async throws(CKError) -> [CKRecordZone] {
    let coding = try await coding()
    var zones: [CKRecordZone] = []
    for answer in try await call(ZonesListRequest()).zones {
      if case .zone(let zone, _, let shareName) = answer {
        zones.append(CKRecordZone(known: coding.zoneID(zone), in: scope, shareName: shareName))
      }
    }
    return zones
  }

  /// Fetches zones by their IDs.
  func zones(
    _ zoneIDs: [CKRecordZone.ID], _ each: (CKRecordZone.ID, Result<CKRecordZone, CKError>) -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    try await inBatches(zoneIDs) { batch throws(CKError) in
      let answers = try await call(ZonesLookupRequest(zones: batch.map { coding.reference($0) }))
        .zones
      try check(answers.count, of: batch.count)
      for (zoneID, answer) in zip(batch, answers) {
        switch answer {
        case .zone(_, _, let shareName):
          each(zoneID, .success(CKRecordZone(known: zoneID, in: scope, shareName: shareName)))
        case .deleted: each(zoneID, .failure(Self.isGone(zoneID)))
        case .failed(_, let error): each(zoneID, .failure(CKError(error)))
        }
      }
    }
  }

  /// Creates and deletes zones.
  ///
  /// - Parameter mayHaveStartedBefore: Whether an earlier process may have sent the request. A zone
  ///   that does not exist then counts as deleted.
  func modifyZones(
    saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID],
    mayHaveStartedBefore: Bool = false,
    saved: (CKRecordZone.ID, Result<CKRecordZone, CKError>) -> Void,
    deleted: (CKRecordZone.ID, Result<Void, CKError>) -> Void
  ) async throws(CKError) {
    let saves = zones.map { (kind: ZonesModifyRequest.Operation.Kind.create, zoneID: $0.zoneID) }
    let all = saves + zoneIDs.map { (kind: .delete, zoneID: $0) }
    var rest = all[...]
    func report(
      _ item: (kind: ZonesModifyRequest.Operation.Kind, zoneID: CKRecordZone.ID), _ error: CKError?,
      shareName: String? = nil
    ) {
      switch item.kind {
      case .create:
        let zone = CKRecordZone(known: item.zoneID, in: scope, shareName: shareName)
        saved(item.zoneID, error.map { .failure($0) } ?? .success(zone))
      case .delete: deleted(item.zoneID, error.map { .failure($0) } ?? .success(()))
      }
    }
    do throws(CKError) {
      let coding = try await coding()
      try await inBatches(all) { batch throws(CKError) in
        let operations = batch.map {
          ZonesModifyRequest.Operation($0.kind, coding.reference($0.zoneID))
        }
        let reply = try await session.reply(
          to: ZonesModifyRequest(operations: operations), scope, options)
        try check(reply.response.zones.count, of: batch.count)
        let mayBeRepeated = mayHaveStartedBefore || reply.mayBeRepeated
        let errors = zip(batch, reply.response.zones).map { item, answer in
          Self.error(of: answer, isDelete: item.kind == .delete, mayBeRepeated: mayBeRepeated)
        }
        let gone = zip(batch, errors).filter { $0.kind == .delete && $1 == nil }.map {
          coding.identifier($0.0.zoneID)
        }
        if scope == .private { await session.vault.recordEnd(of: gone, options) }
        await session.vault.forgetKeys(of: Set(gone))
        for ((item, answer), error) in zip(zip(batch, reply.response.zones), errors) {
          report(item, error, shareName: answer.shareName)
        }
        rest = rest.dropFirst(batch.count)
      }
    } catch {
      for item in rest { report(item, error) }
      throw error
    }
  }

  private static func error(of answer: ZoneResult, isDelete: Bool, mayBeRepeated: Bool) -> CKError?
  {
    guard case .failed(_, let error) = answer else { return nil }
    // An earlier attempt has deleted the zone.
    if isDelete, mayBeRepeated, error.code == .zoneNotFound { return nil }
    return CKError(error)
  }

  private static func isGone(_ zoneID: CKRecordZone.ID) -> CKError {
    CKError(.zoneNotFound, "The zone \(zoneID.zoneName) was deleted.")
  }
}

extension ZoneResult {
  fileprivate var shareName: String? { if case .zone(_, _, let name) = self { name } else { nil } }
}
