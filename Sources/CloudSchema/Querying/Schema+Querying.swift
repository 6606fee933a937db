package import CloudRecords

extension Schema {
  /// Returns the record type that a query names.
  package func type(queried name: String, in environment: CloudEnvironment) throws(CloudError)
    -> RecordTypeDefinition
  {
    if let type = self[type: name] { return type }
    let sentence = "Did not find record type: \(name)."
    guard environment == .production else {
      throw CloudError(
        .notFound, "\(sentence) Development learns a type from the first record that is saved.")
    }
    throw CloudError(
      .notFound, "\(sentence) Define it in development, then deploy: parhelion schema deploy.",
      extension: .schemaNotDeployed)
  }
}

/// Checks of queries.
///
/// If a query is not possible, the error has Apple's text and a remedy.
extension RecordTypeDefinition {
  /// Returns the field of a filter.
  package func checkFilter(on name: QueriedName, by comparator: FilterComparator) throws(CloudError)
    -> QueriedField
  {
    let field = try field(queried: name)
    let rule = FilterRule(comparator)
    guard rule.compares(field.datatype) else {
      throw CloudError(
        .badRequest,
        "Field '\(field.name)' has a value type of \(field.datatype.errorName) and cannot be queried using filter type \(comparator.rawValue). \(remedy(for: field))"
      )
    }
    if !rule.indexes.contains(where: { field.indexes.contains($0) }) {
      throw unmarked(field, rule.indexes[0])
    }
    return field
  }

  /// Returns the field of a sort order.
  ///
  /// Sorting by encrypted fields is allowed, as by Apple, but the order has no meaning.
  package func checkSort(by name: QueriedName) throws(CloudError) -> QueriedField {
    let field = try field(queried: name)
    if !field.datatype.isEncrypted, !field.indexes.contains(.sortable) {
      throw unmarked(field, .sortable)
    }
    return field
  }

  /// Checks the index for queries without filters, which read the records by name.
  package func checkUnfiltered() throws(CloudError) {
    _ = try checkFilter(on: .system(SystemField.recordIdentifier.rawValue), by: .equals)
  }

  /// Returns the fields that a word search covers if the query names none.
  package func checkSearch() throws(CloudError) -> [QueriedField] {
    let found = fields.filter { $0.indexes.contains(.searchable) }
    if found.isEmpty {
      throw CloudError(
        .badRequest,
        "No field of type '\(name)' is marked searchable. Add SEARCHABLE to a STRING of the record type in the schema, and import it into development; for production, deploy it."
      )
    }
    return found.map {
      QueriedField(source: .defined($0.name), datatype: $0.datatype, indexes: $0.indexes)
    }
  }

  private func unmarked(_ field: QueriedField, _ index: FieldIndexes) -> CloudError {
    let word = index.words.joined()
    let sentence = "Field '\(field.name)' is not marked \(word.lowercased())"
    guard field.datatype.possibleIndexes.contains(index) else {
      return CloudError(
        .badRequest, "\(sentence). A field of type \(field.datatype.schemaText) cannot be.")
    }
    let marked =
      "\(field.schemaName) \(field.datatype.schemaText) \(field.indexes.union(index).words.joined(separator: " "))"
    return CloudError(
      .badRequest,
      "\(sentence). Write \(marked) for record type '\(name)' in the schema, and import it into development; for production, deploy it."
    )
  }

  private func remedy(for field: QueriedField) -> String {
    if field.datatype.isEncrypted {
      return "The server cannot read encrypted values: filter by another field."
    }
    return "Use a comparator for \(field.datatype.errorName), or another field."
  }
}
