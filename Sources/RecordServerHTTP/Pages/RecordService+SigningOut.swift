import CloudRecords
import HTTPServer
import RecordServer

/// Signing out with a browser.
///
/// An application opens the page with its own token and the user's web token, and that session
/// ends. Without a web token, for example from a device that lost it, the user's name and password
/// end all sessions. A program without a browser posts the web token itself
/// (`Sources/CloudKitClient`).
extension RecordService {
  func answerSignOut(_ request: HTTPRequest) async throws -> Answer {
    do throws(CloudError) { try accounts.countRequest(from: clientNetwork(of: request)) } catch {
      return errorPage(error)
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
    let pages = SignInPages(application: application, apiToken: apiToken)
    let webToken = parameters.value(of: "ckWebAuthToken").flatMap { $0.isEmpty ? nil : $0 }
    guard request.method == .post else { return signOutForm(pages, request, webToken: webToken) }
    return try await signOut(pages, request)
  }

  private func signOut(_ pages: SignInPages, _ request: HTTPRequest) async throws -> Answer {
    guard let fields = try await FormFields.read(request) else {
      return errorPage(FormFields.tooLong)
    }
    let (webToken, proof) = (fields["token"], FormToken(request, isSecure: isSecure(request)))
    // A page of another origin can neither send this field nor know the token.
    let isProgram = webToken != nil && request.headers["x-parhelion-client"] != nil
    guard isProgram || proof.isGood(fields, request, accounts, apiToken: pages.apiToken) else {
      return signOutForm(
        pages, request, webToken: webToken, fields,
        CloudError(.accessDenied, "The form has expired. Please try again."))
    }
    do throws(CloudError) {
      if let webToken {
        try await accounts.signOut(webToken: webToken)
      } else {
        try await accounts.signOutEverywhere(
          name: fields["name"] ?? "", password: fields["password"] ?? "",
          from: clientNetwork(of: request))
      }
      return Answer(pages.signedOut().response(nonce: FormToken.random))
    } catch {
      return signOutForm(pages, request, webToken: webToken, fields, error)
    }
  }

  private func signOutForm(
    _ pages: SignInPages, _ request: HTTPRequest, webToken: String?,
    _ typed: FormFields = FormFields(),
    _ error: CloudError? = nil
  ) -> Answer {
    answer(request, error) { proof in
      pages.signOutForm(
        webToken: webToken, typed: typed, errorText: error?.reason,
        proof: proof.code(accounts, apiToken: pages.apiToken))
    }
  }
}
