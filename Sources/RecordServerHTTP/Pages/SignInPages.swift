import CloudRecords
import RecordServer

/// The pages on which users sign in to an application and create accounts.
struct SignInPages {
  let application: APIToken
  /// The application's token, from the address.
  let apiToken: String
  /// The program's callback parameters.
  var callbackRequest = SignInCallbackRequest.none

  private var name: String {
    application.label.isEmpty ? application.container.container : application.label
  }

  // MARK: Forms

  /// Creates the form of a page.
  ///
  /// - Parameters:
  ///   - typed: The previous input. Passwords have to be typed again.
  ///   - errorText: The error of the previous input.
  ///   - signUp: The rule for creating accounts.
  func form(
    _ kind: Route.Page, typed: FormFields, errorText: String?, proof: String,
    signUp: AccountSettings.SignUp
  ) -> Page {
    let message: HTML = errorText.map { "<p class=\"error\" role=\"alert\">\($0)</p>\n" } ?? ""
    let fields =
      kind == .signIn
      ? Self.signInFields(typed) : Self.signUpFields(typed, isInvited: signUp == .invited)
    let body: HTML = """
      \(message)<p>\(kind.question) <b>\(name)</b>.</p>
      <form method="post" action="\(kind.path)?ckAPIToken=\(apiToken)\(callbackRequest.parameters)">
      <input type="hidden" name="proof" value="\(proof)">
      \(fields)
      <label><input type="checkbox" name="keep" value="1"\(typed["keep"] == nil ? "" : " checked")> Stay signed in</label>
      <button type="submit">\(kind.title)</button>
      </form>
      \(signUp != .closed ? sibling(of: kind) : "")
      """
    return Page(title: kind.title, body: body, formTarget: callback.map(Self.policySource))
  }

  static func signInFields(_ typed: FormFields) -> HTML {
    """
    <label>Name or e-mail address
    <input name="name" value="\(typed["name"] ?? "")" autocomplete="username" autocapitalize="none" required autofocus></label>
    <label>Password
    <input type="password" name="password" autocomplete="current-password" required></label>
    """
  }

  static func signUpFields(_ typed: FormFields, isInvited: Bool) -> HTML {
    let invitation: HTML =
      isInvited
      ? """
      <label>Invitation code, from the server's administrator
      <input name="invitation" value="\(typed["invitation"] ?? "")" autocomplete="off" autocapitalize="characters" required></label>

      """ : ""
    return """
      \(invitation)<label>Name or e-mail address, to sign in with
      <input name="name" value="\(typed["name"] ?? "")" autocomplete="username" autocapitalize="none" required autofocus></label>
      <label>Password
      <input type="password" name="password" autocomplete="new-password" required></label>
      <label>Given name
      <input name="given" value="\(typed["given"] ?? "")" autocomplete="given-name"></label>
      <label>Family name
      <input name="family" value="\(typed["family"] ?? "")" autocomplete="family-name"></label>
      <label><input type="checkbox" name="discoverable" value="1"\(typed["discoverable"] == nil ? "" : " checked")> Others who know my address may find me</label>
      """
  }

  private func sibling(of kind: Route.Page) -> HTML {
    let other: Route.Page = kind == .signIn ? .signUp : .signIn
    return
      "<p><a href=\"\(other.path)?ckAPIToken=\(apiToken)\(callbackRequest.parameters)\">\(other.title)</a></p>"
  }

  // MARK: Signing out

  /// Creates the form that ends one session, or all sessions of an account.
  ///
  /// - Parameter webToken: The token of the session, from the address.
  func signOutForm(webToken: String?, typed: FormFields, errorText: String?, proof: String) -> Page
  {
    let message: HTML = errorText.map { "<p class=\"error\" role=\"alert\">\($0)</p>\n" } ?? ""
    let question: HTML =
      webToken == nil
      ? "<p>End all of your sessions on this server, on every device.</p>"
      : "<p>Sign out of <b>\(name)</b> here.</p>"
    let fields: HTML =
      webToken.map { "<input type=\"hidden\" name=\"token\" value=\"\($0)\">" }
      ?? Self.signInFields(typed)
    let body: HTML = """
      \(message)\(question)
      <form method="post" action="\(Route.Page.signOut.path)?ckAPIToken=\(apiToken)">
      <input type="hidden" name="proof" value="\(proof)">
      \(fields)
      <button type="submit">\(Route.Page.signOut.title)</button>
      </form>
      """
    return Page(title: Route.Page.signOut.title, body: body)
  }

  /// Creates the page that confirms signing out, and notifies the page that opened it.
  func signedOut() -> Page {
    let origins = HTML(
      stringLiteral: application.allowedOrigins.map { "'\($0)'" }.joined(separator: ", "))
    let script: HTML =
      "for (const origin of [\(origins)]) window.opener?.postMessage({ ckSignedOut: true }, origin);"
    return Page(
      title: "Signed Out", body: "<p>You are signed out, and can close this window.</p>",
      script: application.allowedOrigins.isEmpty ? nil : script)
  }

  // MARK: The last page

  /// Creates the page that posts the token to the page that opened it.
  ///
  /// If the operator has not named the origin of that page, the page shows the token instead.
  func end(webToken: String) -> Page {
    guard !application.allowedOrigins.isEmpty else {
      let body: HTML = """
        <p>You are signed in. Give this only to \(name):</p>
        <p><code>\(webToken)</code></p>
        """
      return Page(title: "Signed In", body: body)
    }
    // Tokens are hexadecimal, and origins have only letters, digits and `-.:/[]`: no character that
    // ends a string of the script.
    let origins = HTML(
      stringLiteral: application.allowedOrigins.map { "'\($0)'" }.joined(separator: ", "))
    let script: HTML = """
      const told = { ckWebAuthToken: '\(webToken)', ckSession: '\(webToken)' };
      for (const origin of [\(origins)]) window.opener?.postMessage(told, origin);
      window.close();
      """
    return Page(
      title: "Signed In", body: "<p>You are signed in, and can close this window.</p>",
      script: script)
  }

  /// The callback's address without the token, or nil if the page shows or posts the token.
  private var callback: String? { application.callbackURL.map { callbackRequest.address($0) } }

  /// The source for a callback in a content security policy: its origin, or an application's
  /// scheme.
  static func policySource(_ callback: String) -> String {
    guard let colon = callback.firstIndex(of: ":") else { return "" }
    let scheme = callback[..<colon]
    guard ["http", "https"].contains(scheme.lowercased()) else { return "\(scheme):" }
    let host = callback[colon...].dropFirst(3).prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-.:[]".contains($0))
    }
    return "\(scheme)://\(host)"
  }
}

extension Route.Page {
  fileprivate var title: String {
    switch self {
    case .signIn: "Sign In"
    case .signUp: "Sign Up"
    case .signOut: "Sign Out"
    }
  }

  fileprivate var question: String {
    self == .signIn ? "Sign in to use" : "Create an account to use"
  }
}
