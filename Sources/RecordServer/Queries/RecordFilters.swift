/// The filters of a query, all of which a record must pass.
///
/// Filters of the same subject share the cached forms of its value.
struct RecordFilters: Sendable {
  private var bySubject: [(subject: RecordFilter.Subject, filters: [RecordFilter])] = []

  init(_ filters: [RecordFilter] = []) {
    for filter in filters {
      if let place = bySubject.firstIndex(where: { $0.subject == filter.subject }) {
        bySubject[place].filters.append(filter)
      } else {
        bySubject.append((filter.subject, [filter]))
      }
    }
  }

  func pass(_ record: StoredRecord) -> Bool {
    bySubject.allSatisfy { subject, filters in
      var value = QueriedValue(subject, of: record)
      return filters.allSatisfy { $0.passes(&value) }
    }
  }
}
