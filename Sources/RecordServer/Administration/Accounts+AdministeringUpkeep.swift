import CloudRecords
import CloudWire
import JSONCoding

/// Administration of sessions, usage reports, and the whole storage.
extension Accounts {
  func administerSessions(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    let account = try await account(named: request.required(\.name, "name"))
    if operation == .sessionsEnd {
      if let identifier = request.identifier {
        try await endSession(identifier, of: account)
      } else {
        try await endSessions(of: account)
      }
    }
    return AdministrationResponse(["sessions": .array(try await sessions(of: account).map(\.shown))]
    )
  }

  func listUsage(_ request: AdministrationRequest) async throws(CloudError)
    -> AdministrationResponse
  {
    let container = try request.address
    let names = try await namesOfUsers(in: container.container)
    let databases = try await server.usage(of: container).map { usage in
      JSONValue.present([
        "userRecordName": usage.owner.map(JSONValue.string),
        "name": usage.owner.flatMap { names[$0] }.map(JSONValue.string),
        "zones": .integer(Int64(usage.zones)),
        "records": .integer(Int64(usage.records)), "files": .integer(Int64(usage.files)),
        "bytes": .integer(usage.bytes),
      ])
    }
    return AdministrationResponse(["databases": .array(databases)])
  }

  func administerStorage(
    _ operation: AdministrationOperation, _ request: AdministrationRequest,
    _ upkeep: (any ServerMaintenance)?
  ) async throws(CloudError) -> AdministrationResponse {
    guard let upkeep else {
      throw CloudError(.badRequest, "This server's storage does not support maintenance.")
    }
    guard operation == .backupsCreate else {
      let issues = try await upkeep.issues(isThorough: request.thorough)
      return AdministrationResponse(["issues": .array(issues.map(JSONValue.string))])
    }
    let report = try await upkeep.backUp(
      named: request.required(\.name, "name"), isPruning: request.prune,
      isThorough: request.thorough)
    return AdministrationResponse([
      "path": .string(report.path), "files": .integer(Int64(report.fileCount)),
      "removed": .integer(Int64(report.removedCount)),
      "issues": .array(report.issues.map(JSONValue.string)),
    ])
  }
}

extension SessionSummary {
  fileprivate var shown: JSONValue {
    .present([
      "identifier": .string(identifier), "container": .string(container.container),
      "environment": .string(container.environment.rawValue),
      "started": .integer(started.milliseconds),
      "isKept": .boolean(isKept),
    ])
  }
}
