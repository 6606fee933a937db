package import CloudRecords
package import CloudSchema

/// Why a schema is not what an administrator wished it to be.
package enum SchemaFailure: Error, Hashable, Sendable {
  /// Nobody has set the container up.
  case unknownContainer(String)
  /// The record type, or the field of the record type, is not there to be removed.
  case unknownPart(recordType: String, field: String?)
  /// The schema is wrong, or does not go with what is there: all that stands in the way.
  case refused(SchemaIssues)
  /// The server failed.
  case failed(CloudError)

  init(_ error: any Error) {
    switch error {
    case let error as SchemaFailure: self = error
    case let problems as SchemaIssues: self = .refused(problems)
    default: self = .failed(CloudError(storageFailure: error))
    }
  }
}

extension SchemaFailure: CustomStringConvertible {
  /// What was wrong, and what to do; one line for each problem.
  package var description: String {
    switch self {
    case .unknownContainer(let name):
      "There is no container “\(name)” on this server. It is made with its first token or key."
    case .unknownPart(let type, nil):
      "There is no record type '\(type)' in development. Export the schema to see its types."
    case .unknownPart(let type, let field?):
      "There is no field '\(field)' in record '\(type)' in development. Export the schema to see its fields."
    case .refused(let problems): problems.description
    case .failed(let error): error.reason
    }
  }

  /// The answer to a request that asked for it.
  package var cloudError: CloudError {
    switch self {
    case .unknownContainer, .unknownPart: CloudError(.notFound, description)
    case .refused(let problems): problems.cloudError
    case .failed(let error): error
    }
  }
}
