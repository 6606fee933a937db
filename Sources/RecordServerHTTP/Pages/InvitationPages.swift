import CloudRecords
import CloudWire
import RecordServer

/// The pages at the address of a share.
///
/// For a person who has not signed in, or whom the share does not concern, they are the same for
/// every address. So they reveal neither which shares exist nor their contents.
struct InvitationPages {
  /// The share's short name, from the address.
  let name: String
  /// The parameters of a program that opened the page.
  var callbackRequest = SignInCallbackRequest.none
  let proof: String
  /// The result of the last change, or its error.
  var message: Message?

  enum Message: Hashable {
    case done(String)
    case failed(String)
  }

  private var target: String { "\(Route.invitationPath)\(name)" }
  private var query: String {
    callbackRequest.parameters.isEmpty ? "" : "?" + callbackRequest.parameters.dropFirst()
  }

  private var note: HTML {
    switch message {
    case .done(let text): "<p class=\"done\" role=\"status\">\(text)</p>\n"
    case .failed(let text): "<p class=\"error\" role=\"alert\">\(text)</p>\n"
    case nil: ""
    }
  }

  // MARK: Signed out

  func signIn(typed: FormFields, allowsSignUp: Bool) -> Page {
    let other: HTML =
      allowsSignUp
      ? """
      <p class="soft">No account yet?
      <a href="\(target)?account=new\(callbackRequest.parameters)">Create one</a>.</p>
      """
      : ""
    let body: HTML = """
      \(note)<p>A user may have shared something with you. Sign in to see the invitation.</p>
      \(form("sign-in", SignInPages.signInFields(typed) + "<p>\(button("Sign In"))</p>"))
      \(other)\(Self.hint)
      """
    return Page(title: "Invitation", body: body)
  }

  func signUp(typed: FormFields, isInvited: Bool) -> Page {
    let fields = SignInPages.signUpFields(typed, isInvited: isInvited)
    let body: HTML = """
      \(note)<p>Create an account on this server to see the invitation.</p>
      \(form("sign-up", fields + "<p>\(button("Create Account"))</p>"))
      <p class="soft"><a href="\(target)\(query)">Sign in with an account</a></p>
      """
    return Page(title: "Invitation", body: body)
  }

  private static let hint: HTML = """
    <p class="soft">Or copy the whole link that you were sent, and open it in the application that
    it is for.</p>
    """

  // MARK: Nothing to see

  /// The page for a share that does not exist, or does not concern the person.
  func nothing(visitor: Account) -> Page {
    let body: HTML = """
      \(note)<p>There is nothing for you at this address: the share has ended, the link is wrong or
      was used, or you were not invited by this account.</p>
      <p class="soft">If you were invited at another e-mail address, sign in with the account of
      that address, or ask the person who invited you.</p>
      \(signedIn(visitor))
      """
    return Page(title: "Nothing Here", body: body)
  }

  func signedIn(_ visitor: Account) -> HTML {
    """
    <h2>Account</h2>
    <div class="row"><span class="grow soft">Signed in as \(visitor.name)</span>\
    \(form("sign-out", button("Sign Out", .plain)))</div>
    """
  }

  // MARK: The share

  /// The page of a share that concerns the person.
  ///
  /// - Parameter link: The share's address. The link of an encrypted share ends in a secret, which
  ///   the server does not have.
  func share(_ metadata: ShareMetadata, visitor: Account, link: String) -> Page {
    let title = metadata.title ?? "Shared Records"
    let image = metadata.thumbnail
    let picture: HTML = image.map { "<img src=\"\($0)\" alt=\"\">" } ?? ""
    var parts: [HTML] = [
      """
      \(note)<div class="head">\(picture)<div><p>\(sentence(metadata))</p>
      <p class="soft">\(metadata.container.container)</p></div></div>
      """,
      choices(metadata),
    ]
    if metadata.role == .owner || metadata.role == .administrator,
      let share = metadata.share.record.share
    {
      let sheet = ShareSheet(pages: self, share: share, metadata: metadata, link: link)
      parts.append(sheet.body)
    }
    parts.append(signedIn(visitor))
    let body: HTML = parts.reduce("") { $0 + $1 + "\n" }
    var page = Page(title: title, body: body)
    page.hasImage = image != nil
    page.formTarget = callbackRequest.port == nil ? nil : callbackRequest.handoverAddress
    return page
  }

  private func sentence(_ metadata: ShareMetadata) -> HTML {
    let owner = metadata.owner.displayName ?? "A user"
    let may = metadata.permission == .readWrite ? "see and change" : "see"
    switch (metadata.role, metadata.acceptance) {
    case (.owner, _): return "You share this."
    case (_, nil): return "<b>\(owner)</b> shares this with invited people. You can request access."
    case (_, .accepted): return "<b>\(owner)</b> shares this with you. You can \(may) it."
    default: return "<b>\(owner)</b> invites you. You will be able to \(may) the shared records."
    }
  }

  private func choices(_ metadata: ShareMetadata) -> HTML {
    switch (metadata.role, metadata.acceptance) {
    case (.owner, _): "<div class=\"row\">\(form("open", button("Open in Application")))</div>"
    case (_, nil): "<div class=\"row\">\(form("request", button("Request Access")))</div>"
    case (_, .accepted):
      """
      <div class="row">\(form("open", button("Open in Application")))\
      \(form("leave", button("Leave Share", .bad)))</div>
      """
    default: "<div class=\"row\">\(form("accept", button("Accept")))</div>"
    }
  }

  // MARK: Handing over

  /// The page that hands a share over to a program by the program's URL scheme.
  func handover(_ address: String) -> Page {
    let body: HTML = """
      <p>Your browser may ask whether it may open the application.</p>
      <p class="row"><a class="button" href="\(address)">Open in Application</a></p>
      <p class="soft">If nothing happens, no application on this machine waits for invitations. Then
      copy the link that you were sent, and open it in the application.</p>
      <p class="soft"><a href="\(target)">Back to the invitation</a></p>
      """
    return Page(title: "Open in Application", body: body)
  }

  // MARK: Parts

  enum ButtonKind: String {
    case main = ""
    case plain
    case bad
  }

  func button(_ title: String, _ kind: ButtonKind = .main, isSmall: Bool = false) -> HTML {
    "<button type=\"submit\" class=\"\(kind.rawValue)\(isSmall ? " small" : "")\">\(title)</button>"
  }

  /// A form for one action.
  func form(
    _ action: String, _ content: HTML, _ hidden: [(name: String, value: String)] = [],
    isLine: Bool = false
  ) -> HTML {
    let more = hidden.reduce("" as HTML) {
      $0 + "<input type=\"hidden\" name=\"\($1.name)\" value=\"\($1.value)\">"
    }
    let style: HTML = isLine ? " class=\"line\"" : ""
    return """
      <form method="post" action="\(target)\(query)"\(style)>\
      <input type="hidden" name="proof" value="\(proof)">\
      <input type="hidden" name="action" value="\(action)">\(more)\(content)</form>
      """
  }
}

// MARK: - The presentation of a share

extension ShareMetadata {
  /// The title, unless only the participants' devices can read it.
  var title: String? {
    guard let field = share.record.fields["cloudkit.title"], !field.isEncrypted,
      case .string(let text) = field.value
    else { return nil }
    let plain = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    let shown = String(String.UnicodeScalarView(plain)).prefix(200)
    return shown.allSatisfy(\.isWhitespace) ? nil : String(shown)
  }

  /// The thumbnail as a `data:` URL; nil if there is none in a known format.
  var thumbnail: String? {
    guard let field = share.record.fields["cloudkit.thumbnailImageData"], !field.isEncrypted,
      case .bytes(let bytes) = field.value, let format = ThumbnailFormat(bytes)
    else { return nil }
    return "data:\(format.rawValue);base64,\(Base64Text.text(bytes))"
  }
}

extension UserIdentity {
  /// The person's name, or else an address.
  var displayName: String? {
    let names = [nameComponents?.givenName, nameComponents?.familyName].compactMap(\.self)
      .filter { !$0.isEmpty }
    if !names.isEmpty { return names.joined(separator: " ") }
    switch lookupInfo {
    case .emailAddress(let text), .phoneNumber(let text): return text
    case .userRecordName, nil: return nil
    }
  }

  /// The person's address, if it is not the name that is shown.
  var displayAddress: String? {
    switch lookupInfo {
    case .emailAddress(let text), .phoneNumber(let text): return text == displayName ? nil : text
    case .userRecordName, nil: return nil
    }
  }
}
