import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers an operation of an administrator, whose key the request carries.
  func answerAdministration(_ request: HTTPRequest, _ operation: AdministrationOperation)
    async throws -> Answer
  {
    try await requireAdministrator(request)
    let memory = bodyMemory.lease(for: [.network(clientNetwork(of: request))])
    let body = try await collect(request, into: memory)
    let answer = try await accounts.administer(
      operation, AdministrationRequest(body: body), upkeep: settings.maintenance)
    withExtendedLifetime(memory) {}
    return Answer(answer)
  }
}
