package import CloudRecords

/// A field that a query names, resolved in its record type.
package struct QueriedField: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case system(SystemField)
    case defined(String)
  }

  package let source: Source
  package let datatype: Datatype
  package let indexes: FieldIndexes

  /// The name in errors and requests.
  package var name: String {
    switch source {
    case .system(let field): field.apiName
    case .defined(let name): name
    }
  }

  /// The name in schemas.
  var schemaName: String {
    switch source {
    case .system(let field): "\"\(field.rawValue)\""
    case .defined(let name): SchemaPrinter.name(name)
    }
  }
}

/// The way in which a query names a field.
package enum QueriedName: Hashable, Sendable {
  /// By `fieldName`: a field that the type defines, otherwise a system field by its name in schemas
  /// or requests.
  case field(String)
  /// By `systemFieldName`: a system field by its name in schemas or requests.
  case system(String)
}

extension RecordTypeDefinition {
  /// Returns the field that a query names.
  package func field(queried name: QueriedName) throws(CloudError) -> QueriedField {
    switch name {
    case .field(let name):
      if let field = self[field: name] ?? SystemType(rawValue: self.name)?.field(named: name) {
        return QueriedField(
          source: .defined(name), datatype: field.datatype, indexes: field.indexes)
      }
      return try systemField(name)
    case .system(let name): return try systemField(name)
    }
  }

  private func systemField(_ name: String) throws(CloudError) -> QueriedField {
    guard let field = SystemField(rawValue: name) ?? SystemField(apiName: name) else {
      let known = fields.map(\.name).prefix(10).joined(separator: ", ")
      throw CloudError(
        .badRequest,
        "Did not find field: '\(name.asNameInSentence)' in type: '\(self.name)'. Its fields are \(known.isEmpty ? "the system's only" : known). A new field exists after a record with it was saved."
      )
    }
    return QueriedField(
      source: .system(field), datatype: .plain(field.type), indexes: self[indexesOf: field])
  }
}
