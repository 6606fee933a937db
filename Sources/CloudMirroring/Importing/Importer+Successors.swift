import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel

extension Importer {
  /// If a feed has several parts, defers records that absorbed unknown duplicates until its end.
  ///
  /// - Returns: Whether there are any.
  func holdSuccessors(_ received: inout ImportPage) throws -> Bool {
    let waiting = try absorbingUnknownDuplicates(received.records)
    guard !waiting.isEmpty else { return false }
    received = received.replacing(
      records: received.records.filter { !waiting.contains($0.recordID) },
      deleted: received.deleted)
    received.deferred += waiting.sorted { $0.recordName < $1.recordName }.map {
      DeferredItem(.successor, .record(RecordIdentifier($0)))
    }
    return true
  }
}
