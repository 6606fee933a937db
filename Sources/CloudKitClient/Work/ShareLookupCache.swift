import Synchronization

/// Finds the shares that records belong to, by themselves or by what is above them.
///
/// What is saved together is looked at first: the server does not have a parent that is new.
/// Parents that only the server has are asked for together, level by level, and once.
struct ShareLookupCache {
  /// What a record says of its place.
  private struct Place {
    var share: String?
    var parent: CKRecord.ID?

    init(share: CKRecord.Reference?, parent: CKRecord.Reference?) {
      (self.share, self.parent) = (share?.recordID.recordName, parent?.recordID)
    }
  }

  private let work: DatabaseWork
  /// Records that nobody has stand at the top of nothing.
  private var places: [CKRecord.ID: Place] = [:]
  /// Records whose parents are asked for with those of the first one.
  private var expected: [CKRecord.ID]

  /// - Parameters:
  ///   - records: Records as they are saved, or as the server has them.
  ///   - expected: Those of them whose shares will be asked for.
  init(_ work: DatabaseWork, _ records: [RecordState], expecting expected: [CKRecord.ID]) {
    self.work = work
    self.expected = expected
    for record in records {
      places[record.recordID] = Place(share: record.share, parent: record.parent)
    }
  }

  /// The name of the share that a record belongs to; nil where it belongs to none.
  mutating func shareName(of record: CKRecord.ID) async throws(CKError) -> String? {
    try await find(expected + [record])
    expected = []
    var seen: Set<CKRecord.ID> = []
    var next: CKRecord.ID? = record
    // Records that lead to each other belong to nothing.
    while let recordID = next, let place = places[recordID], seen.insert(recordID).inserted {
      if let share = place.share { return share }
      next = place.parent
    }
    return nil
  }

  /// Sees that everything above some records is known.
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

  /// The first records above others, or among them, of which nothing is known; in the order of the
  /// names, so that requests are the same each time.
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
