import CloudRecords
import HTTPServer
import RecordServer

/// Signing in with a browser.
///
/// A client opens the page with the application's token in the URL. Afterwards the browser goes to
/// the application's callback with a web token, or posts the token to the page that opened it.
extension RecordService {
  func answerPage(_ request: HTTPRequest, _ kind: Route.Page) async throws -> Answer {
    do throws(CloudError) { try accounts.countRequest(from: clientNetwork(of: request)) } catch {
      return errorPage(error)
    }
    guard kind == .signIn || accounts.settings.signUp != .closed else {
      return errorPage(
        CloudError(
          .notFound, "This server does not allow sign-up. Ask its administrator for an account."))
    }
    let parameters = QueryParameters(request.query)
    let apiToken = parameters.value(of: "ckAPIToken") ?? ""
    guard let application = try await accounts.application(apiToken: apiToken, origin: nil) else {
      return errorPage(
        CloudError(
          .badRequest,
          "The address does not name an application of this server. Start again in the application."
        ))
    }
    guard let callbackRequest = SignInCallbackRequest(parameters) else {
      return errorPage(
        CloudError(
          .badRequest,
          "The address has an invalid ckCallbackPort, or a ckState that is not up to 128 letters and digits."
        ))
    }
    let pages = SignInPages(
      application: application, apiToken: apiToken, callbackRequest: callbackRequest)
    guard request.method == .post else { return form(pages, kind, request) }
    return try await sent(pages, kind, request)
  }

  /// Handles a submitted form.
  private func sent(_ pages: SignInPages, _ kind: Route.Page, _ request: HTTPRequest) async throws
    -> Answer
  {
    guard let fields = try await FormFields.read(request) else {
      return errorPage(FormFields.tooLong)
    }
    let proof = FormToken(request, isSecure: isSecure(request))
    guard proof.isGood(fields, request, accounts, apiToken: pages.apiToken) else {
      return form(
        pages, kind, request, fields,
        CloudError(.accessDenied, "The form has expired. Please try again."))
    }
    do throws(CloudError) {
      let session = try await session(
        kind, fields, pages.application, from: clientNetwork(of: request))
      return end(pages, session)
    } catch {
      return form(pages, kind, request, fields, error)
    }
  }

  private func session(
    _ kind: Route.Page, _ fields: FormFields, _ application: APIToken, from address: String
  ) async throws(CloudError) -> StartedSession {
    let (name, password, isKept) = (
      fields["name"] ?? "", fields["password"] ?? "", fields["keep"] != nil
    )
    guard kind == .signUp else {
      return try await accounts.signIn(
        name: name, password: password, to: application.container, isKept: isKept, from: address)
    }
    let account = try await accounts.signUp(
      name: name, password: password, nameComponents: fields.nameComponents,
      isDiscoverable: fields["discoverable"] != nil, invitation: fields["invitation"], from: address
    )
    return try await accounts.startSession(of: account, in: application.container, isKept: isKept)
  }

  // MARK: Answers

  private func form(
    _ pages: SignInPages, _ kind: Route.Page, _ request: HTTPRequest,
    _ typed: FormFields = FormFields(),
    _ error: CloudError? = nil
  ) -> Answer {
    answer(request, error) { proof in
      pages.form(
        kind, typed: typed, errorText: error?.reason,
        proof: proof.code(accounts, apiToken: pages.apiToken),
        signUp: accounts.settings.signUp)
    }
  }

  /// Answers with a form, and with an error if the previous input was not valid.
  func answer(_ request: HTTPRequest, _ error: CloudError?, _ form: (FormToken) -> Page) -> Answer {
    let proof = FormToken(request, isSecure: isSecure(request))
    let page = form(proof)
    var response = page.response(error, nonce: FormToken.random)
    response.headers.append("Set-Cookie", proof.field)
    return Answer(response, error: error)
  }

  private func end(_ pages: SignInPages, _ session: StartedSession) -> Answer {
    let caller = Caller.user(session.userRecordName)
    guard let callback = pages.application.callbackURL else {
      return Answer(
        pages.end(webToken: session.webToken).response(nonce: FormToken.random), caller: caller)
    }
    let headers: HTTPHeaders = [
      "Location": pages.callbackRequest.address(callback, webToken: session.webToken),
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    ]
    return Answer(HTTPResponse(.seeOther, headers: headers), caller: caller)
  }

  func errorPage(_ error: CloudError) -> Answer {
    let page = Page(title: "Error", body: "<p class=\"error\" role=\"alert\">\(error.reason)</p>")
    return Answer(page.response(error, nonce: FormToken.random), error: error)
  }
}

extension FormFields {
  /// The name of a user who signs up.
  var nameComponents: UserIdentity.NameComponents? {
    var components = UserIdentity.NameComponents()
    components.givenName = self["given"].flatMap { $0.isEmpty ? nil : $0 }
    components.familyName = self["family"].flatMap { $0.isEmpty ? nil : $0 }
    return components == UserIdentity.NameComponents() ? nil : components
  }
}
