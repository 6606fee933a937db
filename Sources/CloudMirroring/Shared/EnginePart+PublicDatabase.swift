import CloudKitClient
import CloudRecords
import MirrorModel

extension MirrorStore {
  /// The record types to poll in a public database.
  var polledTypes: [String] {
    let types = Set(schema.entities.flatMap(\.recordTypes)).sorted()
    return schema.joins.isEmpty ? types : types + [MirrorNames.joinType]
  }
}

extension EnginePart {
  /// Returns the records that do not exist.
  func gone(_ records: [RecordIdentifier]) async throws -> [CKRecord.ID] {
    guard !records.isEmpty else { return [] }
    let results = try await mirror.database.records(for: records.map(\.recordID), desiredKeys: [])
    return results.filter(\.value.isUnknown).keys.sorted { $0.recordName < $1.recordName }
  }
}

extension Result where Success == CKRecord, Failure == any Error {
  /// Whether the server does not have the record.
  var isUnknown: Bool {
    guard case .failure(let error) = self else { return false }
    return (error as? CKError)?.code == .unknownItem
  }
}
