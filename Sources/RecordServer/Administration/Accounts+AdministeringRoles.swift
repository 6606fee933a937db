import CloudRecords
import CloudWire
import JSONCoding

/// Administration of schema roles.
extension Accounts {
  func administerRoles(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    let container = try request.address
    if operation == .rolesList {
      let (roles, holders) = try await roles(in: container)
      return AdministrationResponse([
        "roles": .array(roles.map(JSONValue.string)), "users": .array(holders.map(\.shown)),
      ])
    }
    let (name, role) = (try request.required(\.name, "name"), try request.required(\.role, "role"))
    let holder =
      operation == .rolesGrant
      ? try await grantRole(role, to: name, in: container)
      : try await revokeRole(role, of: name, in: container)
    return AdministrationResponse(["user": holder.shown])
  }
}

extension RoleHolder {
  fileprivate var shown: JSONValue {
    .present([
      "name": name.map(JSONValue.string), "userRecordName": .string(userRecordName),
      "roles": .array(roles.map(JSONValue.string)),
    ])
  }
}
