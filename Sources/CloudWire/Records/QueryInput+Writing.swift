import CloudRecords
package import JSONCoding

extension QueryInput {
  /// Writes only the query, as subscriptions store it.
  package func write(to writer: inout JSONWriter) { writer.query(self) }
}

extension JSONWriter {
  mutating func query(_ query: QueryInput) {
    beginObject()
    text("recordType", query.recordType)
    if !query.filters.isEmpty {
      key("filterBy")
      beginArray()
      for filter in query.filters { self.filter(filter) }
      endArray()
    }
    if !query.sorts.isEmpty {
      key("sortBy")
      beginArray()
      for sort in query.sorts { self.sort(sort) }
      endArray()
    }
    endObject()
  }

  private mutating func filter(_ filter: QueryInput.Filter) {
    beginObject()
    text("comparator", filter.comparator)
    name(filter.name)
    key("fieldValue")
    field(filter.value)
    if let distance = filter.distance {
      key("distance")
      double(distance)
    }
    endObject()
  }

  private mutating func sort(_ sort: QueryInput.Sort) {
    beginObject()
    name(sort.name)
    bool("ascending", sort.ascending)
    if let place = sort.relativeLocation {
      key("relativeLocation")
      value(.location(place), FieldStyle())
    }
    endObject()
  }

  private mutating func name(_ name: QueryInput.FieldName) {
    switch name {
    // A word search in all fields names none.
    case .field(""): break
    case .field(let name): text("fieldName", name)
    case .system(let name): text("systemFieldName", name)
    }
  }
}
