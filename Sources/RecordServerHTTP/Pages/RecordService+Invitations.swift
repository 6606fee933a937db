import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

/// The pages that a browser shows at the address of a share.
///
/// A person signs in there, sees the invitation, and accepts it. The owner and administrators
/// manage the share. Each change is a request to the record server as a program would send it, so
/// the page allows nothing that a program could not do.
extension RecordService {
  func answerInvitation(_ request: HTTPRequest, _ name: String) async throws -> Answer {
    try await InvitationResponder(service: self, request: request, name: name).answer()
  }
}

/// Answers one request for the page of a share.
private struct InvitationResponder {
  let service: RecordService
  let request: HTTPRequest
  /// The end of the page's address: a short identifier of the share.
  let name: String

  private var accounts: Accounts { service.accounts }
  private var server: RecordServer { service.server }
  private var isSecure: Bool { service.isSecure(request) }
  private var address: String { service.address(of: request) }
  private var network: String { service.clientNetwork(of: request) }

  func answer() async throws -> Answer {
    do throws(CloudError) { try accounts.countRequest(from: network) } catch {
      return service.errorPage(error)
    }
    let proof = FormToken(request, isSecure: isSecure)
    var pages = InvitationPages(name: name, proof: proof.code(accounts, apiToken: formName))
    let parameters = QueryParameters(request.query)
    pages.callbackRequest = SignInCallbackRequest(parameters) ?? .none
    var visit = InvitationVisit(pages: pages, proof: proof)
    do throws(CloudError) {
      let cookie = VisitCookie.text(request, isSecure: isSecure)
      visit.account = if let cookie { try await Visits(accounts).visitor(cookie) } else { nil }
    } catch { return service.errorPage(error) }
    guard request.method == .post else {
      visit.wantsAccount = parameters.value(of: "account") == "new"
      return await show(visit)
    }
    guard let fields = try await FormFields.read(request) else {
      return service.errorPage(FormFields.tooLong)
    }
    guard proof.isGood(fields, request, accounts, apiToken: formName) else {
      return await show(
        visit, CloudError(.accessDenied, "The form has expired. Please try again."))
    }
    return await carryOut(fields, visit)
  }

  /// The text that binds the code of a form to the address of a share.
  private var formName: String { "share \(name)" }
}

/// One request for the page: the person who sent it, and the form values to show again.
private struct InvitationVisit {
  var pages: InvitationPages
  let proof: FormToken
  var account: Account?
  var typed = FormFields()
  /// Whether the person wants to create an account.
  var wantsAccount = false
}

// MARK: - Showing

extension InvitationResponder {
  /// Shows the page for the person, with an error if the last action failed.
  fileprivate func show(_ visit: InvitationVisit, _ error: CloudError? = nil) async -> Answer {
    var visit = visit
    if let error { visit.pages.message = .failed(error.reason) }
    guard let account = visit.account else {
      let signUp = accounts.settings.signUp
      let page =
        visit.wantsAccount && signUp != .closed
        ? visit.pages.signUp(typed: visit.typed, isInvited: signUp == .invited)
        : visit.pages.signIn(typed: visit.typed, allowsSignUp: signUp != .closed)
      return answer(page, visit, error)
    }
    do throws(CloudError) {
      guard let (metadata, call) = try await metadata(visit, account) else {
        let error = error ?? CloudError(.notFound, "There is nothing for this user.")
        return answer(visit.pages.nothing(visitor: account), visit, error)
      }
      let link =
        address + Route.invitationPath
        + (metadata.share.record.shortIdentifier ?? name)
      var shown = answer(
        visit.pages.share(metadata, visitor: account, link: link), visit, error)
      shown.caller = call.caller
      return shown
    } catch { return service.errorPage(error) }
  }

  private func answer(_ page: Page, _ visit: InvitationVisit, _ error: CloudError?) -> Answer {
    var response = page.response(error, nonce: FormToken.random)
    response.headers.append("Set-Cookie", visit.proof.field)
    return Answer(response, error: error)
  }

  /// The share as the person may see it; nil if it does not exist or does not concern the person.
  private func metadata(
    _ visit: InvitationVisit, _ account: Account
  ) async throws(CloudError) -> (ShareMetadata, Call)? {
    guard let container = try await server.container(ofLink: name) else { return nil }
    let (user, realm) = try await accounts.introduce(account, to: container)
    let call = Call(
      container: container, realm: realm, scope: .public, caller: .user(user),
      serverAddress: address)
    let request = SharesResolveRequest(shares: [ShareLookup(shortIdentifier: name)])
    switch try await server.resolveShares(request, call).results.first {
    case .share(let metadata): return (metadata, call)
    case .failed(_, let error) where error.code == .notFound: return nil
    case .failed(_, let error): throw error
    case nil: return nil
    }
  }
}

// MARK: - Acting

extension InvitationResponder {
  fileprivate func carryOut(_ fields: FormFields, _ visit: InvitationVisit) async -> Answer {
    guard let action = InvitationAction(fields) else {
      return await show(visit, CloudError(.badRequest, "The page has no such action."))
    }
    switch action {
    case .signIn, .signUp: return await signIn(fields, action, visit)
    case .signOut: return redirect(visit, cookie: .some(nil))
    default: break
    }
    guard let account = visit.account else {
      return await show(
        visit, CloudError(.authenticationFailed, "You were signed out. Please sign in again."))
    }
    do throws(CloudError) {
      guard let (metadata, call) = try await metadata(visit, account) else {
        return await show(visit)
      }
      if action == .open { return try await handOver(metadata, call, visit) }
      try await perform(action, fields, metadata, call)
      var answer = redirect(visit)
      answer.caller = call.caller
      return answer
    } catch {
      return await show(visit, error)
    }
  }

  /// Redirects the browser to the page, so that reloading it does not repeat the action.
  ///
  /// - Parameter cookie: A text starts a visit, `.some(nil)` ends the visit, and `.none` keeps it.
  private func redirect(_ visit: InvitationVisit, cookie: String?? = .none) -> Answer {
    let parameters = visit.pages.callbackRequest.parameters
    let query = parameters.isEmpty ? "" : "?" + parameters.dropFirst()
    var headers: HTTPHeaders = [
      "Location": "\(Route.invitationPath)\(name)\(query)", "Cache-Control": "no-store",
      "Referrer-Policy": "same-origin",
    ]
    if let cookie {
      headers.append(
        "Set-Cookie", VisitCookie.field(cookie, isSecure: isSecure))
    }
    return Answer(HTTPResponse(.seeOther, headers: headers))
  }

  private func signIn(_ fields: FormFields, _ action: InvitationAction, _ visit: InvitationVisit)
    async -> Answer
  {
    var visit = visit
    (visit.typed, visit.wantsAccount) = (fields, action == .signUp)
    let (name, password) = (fields["name"] ?? "", fields["password"] ?? "")
    do throws(CloudError) {
      let account: Account
      if action == .signUp {
        guard accounts.settings.signUp != .closed else {
          throw CloudError(.accessDenied, "This server does not allow sign-up.")
        }
        account = try await accounts.signUp(
          name: name, password: password, nameComponents: fields.nameComponents,
          isDiscoverable: fields["discoverable"] != nil, invitation: fields["invitation"],
          from: network)
      } else {
        account = try await accounts.verifiedAccount(
          name: name, password: password, from: network)
      }
      return redirect(visit, cookie: Visits(accounts).start(of: account))
    } catch {
      visit.account = nil
      return await show(visit, error)
    }
  }

  private func perform(
    _ action: InvitationAction, _ fields: FormFields, _ metadata: ShareMetadata, _ call: Call
  ) async throws(CloudError) {
    let lookup = [ShareLookup(shortIdentifier: metadata.shortIdentifier)]
    switch action {
    case .accept:
      try Self.check(try await server.acceptShares(SharesAcceptRequest(shares: lookup), call))
    case .requestAccess:
      try Self.check(
        try await server.requestAccess(SharesRequestAccessRequest(shares: lookup), call))
    case .leave where metadata.role != .owner: try await delete(metadata, call, version: nil)
    case .stop where metadata.role == .owner:
      try await delete(metadata, call, version: fields["version"] ?? "")
    case .manage(let change) where metadata.role == .owner || metadata.role == .administrator:
      let input = try change.input(for: metadata.share.record, tag: fields["version"] ?? "")
      try await modify(RecordOperation(.update, input), metadata, call)
    default: throw CloudError(.accessDenied, "You may not do this.")
    }
  }

  private static func check(_ response: SharesResponse) throws(CloudError) {
    if case .failed(_, let error)? = response.results.first { throw error }
  }

  /// Deletes the share's record: the owner ends the share, and a participant leaves it.
  private func delete(_ metadata: ShareMetadata, _ call: Call, version: String?)
    async throws(CloudError)
  {
    var input = RecordInput()
    input.recordName = metadata.share.record.identifier.recordName
    input.recordChangeTag = version
    input.zone = ZoneReference(
      zoneName: metadata.zone.zoneName, ownerName: metadata.zone.ownerName)
    let kind: RecordOperation.Kind = version == nil ? .forceDelete : .delete
    try await modify(RecordOperation(kind, input), metadata, call)
  }

  private func modify(_ operation: RecordOperation, _ metadata: ShareMetadata, _ call: Call)
    async throws(CloudError)
  {
    var request = RecordsModifyRequest()
    request.operations = [operation]
    var call = call
    call.scope = metadata.role == .owner ? .private : .shared
    let answer = try await server.respond(to: .recordsModify, body: request.body, call)
    let response = try RecordsModifyResponse(answer: answer.bytes)
    guard case .failed(_, let error)? = response.records.first else { return }
    guard error.code == .conflict else { throw error }
    throw CloudError(
      .conflict, "The share was changed meanwhile. Check the page, and try again.")
  }

  // MARK: Handing over

  private func handOver(_ metadata: ShareMetadata, _ call: Call, _ visit: InvitationVisit)
    async throws(CloudError) -> Answer
  {
    let token = try await Handovers(server).make(forShare: metadata.shortIdentifier, call)
    let handover = Handover(
      link: "\(address)\(Route.invitationPath)\(metadata.shortIdentifier)", token: token,
      container: metadata.container)
    guard let program = visit.pages.callbackRequest.handoverAddress else {
      return Answer(
        visit.pages.handover(handover.address).response(nonce: FormToken.random),
        caller: call.caller)
    }
    let headers: HTTPHeaders = [
      "Location": "\(program)?\(handover.parameters)\(visit.pages.callbackRequest.stateParameter)",
      "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
    ]
    return Answer(HTTPResponse(.seeOther, headers: headers), caller: call.caller)
  }
}

/// A share that the page gives to a program on the person's machine.
private struct Handover {
  let link: String
  let token: String
  let container: ContainerAddress

  var parameters: String {
    [
      ("url", link), ("container", container.container),
      ("environment", container.environment.rawValue), ("handover", token),
    ]
    .map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
  }

  /// The address in the URL scheme of programs that wait for invitations.
  var address: String { "parhelion-share:open?\(parameters)" }
}
