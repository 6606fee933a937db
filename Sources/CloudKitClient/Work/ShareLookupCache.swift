import Synchronization

/// Finds the shares of records: their own or those of their ancestors.
///
/// Records of the same request are consulted first, because the server does not have new parents
/// yet. Parents on the server are fetched once, level by level.
struct ShareLookupCache {
  /// A record's share and parent.
  private struct Place {
    var share: String?
    var parent: CKRecord.ID?

    init(share: CKRecord.Reference?, parent: CKRecord.Reference?) {
      (self.share, self.parent) = (share?.recordID.recordName, parent?.recordID)
    }
  }

  private let work: DatabaseWork
  /// The known records.
  ///
  /// A record that does not exist has neither a share nor a parent.
  private var places: [CKRecord.ID: Place] = [:]
  /// The records whose unknown ancestors the first lookup fetches, too.
  private var expected: [CKRecord.ID]

  /// Creates a lookup.
  ///
  /// - Parameters:
  ///   - records: The records of a request, or records that the server sent.
  ///   - expected: The records among them whose shares will be looked up.
  init(_ work: DatabaseWork, _ records: [RecordState], expecting expected: [CKRecord.ID]) {
    self.work = work
    self.expected = expected
    for record in records {
      places[record.recordID] = Place(share: record.share, parent: record.parent)
    }
  }

  /// Returns the name of a record's share; nil if it is not shared.
  mutating func shareName(of record: CKRecord.ID) async throws(CKError) -> String? {
    try await find(expected + [record])
    expected = []
    var seen: Set<CKRecord.ID> = []
    var next: CKRecord.ID? = record
    // A cycle of parents has no share.
    while let recordID = next, let place = places[recordID], seen.insert(recordID).inserted {
      if let share = place.share { return share }
      next = place.parent
    }
    return nil
  }

  /// Fetches all unknown ancestors of some records.
  private mutating func find(_ records: [CKRecord.ID]) async throws(CKError) {
    var level = records
    while true {
      let missing = unknown(above: level)
      guard !missing.isEmpty else { return }
      var found: [CKRecord.ID: Place] = [:]
      try await work.records(missing, desiredKeys: []) { recordID, result in
        let state = (try? result.get())?.state.withLock { $0 }
        found[recordID] = Place(share: state?.share, parent: state?.parent)
      }
      places.merge(found) { $1 }
      level = missing
    }
  }

  /// The first unknown ancestors of some records, sorted so that requests are deterministic.
  private func unknown(above records: [CKRecord.ID]) -> [CKRecord.ID] {
    var (missing, seen): (Set<CKRecord.ID>, Set<CKRecord.ID>) = ([], [])
    for record in records {
      var next: CKRecord.ID? = record
      while let recordID = next, seen.insert(recordID).inserted {
        guard let place = places[recordID] else {
          missing.insert(recordID)
          break
        }
        next = place.share == nil ? place.parent : nil
      }
    }
    return missing.sorted { $0.recordName < $1.recordName }
  }
}
