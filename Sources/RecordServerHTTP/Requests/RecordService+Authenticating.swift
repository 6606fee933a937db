import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers what needs credentials and has a body in memory.
  ///
  /// The body is read once it is known who sends it; that of a signed request before, since the signature covers it.
  func answer(
    _ request: HTTPRequest, for container: ContainerAddress, isChanging: Bool,
    _ operation: (Authentication, [UInt8]) async throws(CloudError) -> any WireResponse
  ) async throws -> Answer {
    let signed = request.isSigned ? try await request.collect(limit: settings.bodyBytes) : nil
    let credentials = Credentials(request, for: container, body: signed ?? [], isChanging: isChanging)
    let authentication = try await accounts.authenticate(credentials)
    if let error = accounts.refusal(of: authentication, from: clientHost(of: request)) {
      accounts.giveBack(authentication)
      return finished(refusal(error, of: request), authentication)
    }
    var body: [UInt8] = []
    if let signed { body = signed } else { body = try await request.collect(limit: settings.bodyBytes) }
    let answer: Answer
    do throws(CloudError) {
      answer = Answer(try await operation(authentication, body))
    } catch {
      if error.code == .tryAgainLater { accounts.giveBack(authentication) }
      answer = refusal(authentication.directing(error), of: request)
    }
    return finished(answer, authentication)
  }

  /// Says in an answer who asked, and gives the token for what is asked next.
  private func finished(_ answer: Answer, _ authentication: Authentication) -> Answer {
    var answer = answer
    answer.caller = authentication.caller
    if let token = authentication.webToken {
      answer.response.headers.append("X-Apple-CloudKit-Web-Auth-Token", token)
    }
    return answer
  }

  /// Lets nobody pass but who has the administrators' key, as a bearer's token.
  func requireAdministrator(_ request: HTTPRequest) async throws(CloudError) {
    let scheme = "bearer "
    guard let field = request.headers["authorization"], field.lowercased().hasPrefix(scheme),
      try await accounts.isAdministratorKey(String(field.dropFirst(scheme.count)))
    else {
      throw CloudError(
        .authenticationFailed, "This is for administrators: send their key as “Authorization: Bearer KEY”.")
    }
  }
}
