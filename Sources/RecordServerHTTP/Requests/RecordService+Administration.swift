import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Does what an administrator asks for, whose key the request carries.
  func answerAdministration(_ request: HTTPRequest, _ operation: AdministrationOperation) async throws -> Answer {
    try await requireAdministrator(request)
    let body = try await request.collect(limit: settings.bodyBytes)
    let answer = try await accounts.administer(operation, AdministrationRequest(body: body), upkeep: settings.upkeep)
    return Answer(answer)
  }
}
