package import CloudRecords
package import CloudSchema

/// An error of a schema operation.
package enum SchemaFailure: Error, Hashable, Sendable {
  /// The container does not exist.
  case unknownContainer(String)
  /// The record type or field to be removed does not exist.
  case unknownPart(recordType: String, field: String?)
  /// The schema is invalid, or incompatible with existing data. All issues are included.
  case refused(SchemaIssues)
  /// The import would erase data, which the caller does not permit.
  case wouldErase(String)
  /// The server failed.
  case failed(CloudError)

  init(_ error: any Error, of server: RecordServer) {
    switch error {
    case let error as SchemaFailure: self = error
    case let issues as SchemaIssues: self = .refused(issues)
    default: self = .failed(server.failure(error))
    }
  }
}

extension SchemaFailure: CustomStringConvertible {
  /// The issues and remedies, one per line.
  package var description: String {
    switch self {
    case .unknownContainer(let name):
      """
      There is no container “\(name)” on this server. The first token, key or request of a \
      development user creates it.
      """
    case .unknownPart(let type, nil):
      "There is no record type '\(type)' in development. Export the schema to see its types."
    case .unknownPart(let type, let field?):
      "There is no field '\(field)' in record '\(type)' in development. Export the schema to see its fields."
    case .refused(let issues): issues.description
    case .wouldErase(let data): "This would erase \(data). Confirm with “erase”."
    case .failed(let error): error.reason
    }
  }

  /// The error for a client.
  package var cloudError: CloudError {
    switch self {
    case .unknownContainer, .unknownPart: CloudError(.notFound, description)
    case .refused(let issues): issues.cloudError
    case .wouldErase: CloudError(.badRequest, description)
    case .failed(let error): error
    }
  }
}
