package import CloudRecords
package import CloudWire
import JSONCoding

extension Accounts {
  /// Performs an operation for an administrator.
  ///
  /// The caller has checked the permission. Command-line tools call the same functions.
  ///
  /// - Parameter upkeep: Backs up and checks the storage; nil if that is not available.
  package func administer(
    _ operation: AdministrationOperation, _ request: AdministrationRequest,
    upkeep: (any ServerMaintenance)?
  ) async throws(CloudError) -> AdministrationResponse {
    switch operation {
    case .containersList: try await listContainers()
    case .usersList, .usersAdd, .usersPassword, .usersDisable, .usersEnable, .usersVerify,
      .usersDiscoverable,
      .usersHidden, .usersRemove, .usersInvite:
      try await administerUsers(operation, request)
    case .rolesList, .rolesGrant, .rolesRevoke: try await administerRoles(operation, request)
    case .sessionsList, .sessionsEnd: try await administerSessions(operation, request)
    case .usageList: try await listUsage(request)
    case .storageCheck, .backupsCreate: try await administerStorage(operation, request, upkeep)
    case .tokensList, .tokensCreate, .tokensRevoke: try await administerTokens(operation, request)
    case .keysList, .keysAdd, .keysRevoke, .keysRenew, .keysAdministrator:
      try await administerKeys(operation, request)
    case .schemaExport, .schemaImport, .schemaDiff, .schemaDeploy, .schemaReset:
      try await administerSchema(operation, request)
    }
  }

  private func listContainers() async throws(CloudError) -> AdministrationResponse {
    let containers = try await server.containers().map { address in
      JSONValue.present([
        "container": .string(address.container),
        "environment": .string(address.environment.rawValue),
      ])
    }
    return AdministrationResponse(["containers": .array(containers)])
  }
}

// MARK: - Required members

extension AdministrationRequest {
  /// A member that an operation requires.
  func required(_ value: KeyPath<AdministrationRequest, String?>, _ key: String) throws(CloudError)
    -> String
  {
    guard let text = self[keyPath: value], !text.isEmpty else {
      throw CloudError(.badRequest, "The operation needs “\(key)”.")
    }
    return text
  }

  /// The container and environment; development by default.
  var address: ContainerAddress {
    get throws(CloudError) {
      let container = try required(\.container, "container")
      guard let text = environment else {
        return ContainerAddress(container: container, environment: .development)
      }
      guard let environment = CloudEnvironment(rawValue: text) else {
        throw CloudError(
          .badRequest,
          "The environment is development or production, not “\(text.cut(toBytes: 32))”.")
      }
      return ContainerAddress(container: container, environment: environment)
    }
  }
}
