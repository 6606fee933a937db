import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding

/// Administration of schemas.
extension Accounts {
  func administerSchema(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    let address = try request.address
    do throws(SchemaFailure) {
      return try await change(operation, request, address)
    } catch {
      throw error.cloudError
    }
  }

  private func change(
    _ operation: AdministrationOperation, _ request: AdministrationRequest,
    _ address: ContainerAddress
  ) async throws(SchemaFailure) -> AdministrationResponse {
    let container = address.container
    switch operation {
    case .schemaExport:
      return AdministrationResponse(["schema": .string(try await server.schema(of: address).text)])
    case .schemaImport:
      let text = Array((request.schema ?? "").utf8)
      let plan =
        request.dryRun
        ? try await server.planImport(of: text, into: container)
        : try await server.importSchema(text, into: container, permitsErasure: request.erase)
      return planResponse(plan)
    case .schemaDeploy:
      let difference =
        request.dryRun
        ? try await server.planDeployment(
          of: container, revokingPermissions: request.revokePermissions)
        : try await server.deploySchema(
          of: container, revokingPermissions: request.revokePermissions)
      return AdministrationResponse(["difference": .string(difference.text)])
    case .schemaReset:
      guard request.erase else {
        throw .failed(
          CloudError(
            .badRequest, "This erases all records and zones of development. Confirm with “erase”."))
      }
      return planResponse(try await server.resetDevelopment(of: container))
    default:
      return AdministrationResponse([
        "difference": .string(try await server.schemaDifference(of: container).text)
      ])
    }
  }

  private func planResponse(_ plan: SchemaReplacement) -> AdministrationResponse {
    AdministrationResponse([
      "difference": .string(plan.difference.text),
      "erasedTypes": .array(plan.erasedTypes.map(JSONValue.string)),
      "erasedFields": .array(plan.erasedFields.map { .string("\($0.recordType).\($0.name)") }),
    ])
  }
}
