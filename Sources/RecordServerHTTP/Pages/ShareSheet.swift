import CloudRecords
import CloudWire

/// The part of a share's page on which the owner and administrators manage it.
struct ShareSheet {
  let pages: InvitationPages
  let share: ShareDetails
  let metadata: ShareMetadata
  let link: String

  private var isOwner: Bool { metadata.role == .owner }
  private var isPublic: Bool { share.publicPermission != .none }
  /// The version of the share that the page shows.
  private var version: (name: String, value: String) {
    ("version", metadata.share.record.changeTag)
  }

  var body: HTML {
    [
      "<div class=\"wide\"></div>", people, isPublic ? "" : inviting, requests, access, ending,
    ]
    .reduce("") { $0 + $1 + "\n" }
  }

  // MARK: People

  private var people: HTML {
    let rows = share.participants.map(row).reduce("" as HTML) { $0 + $1 }
    return "<h2>People</h2><ul class=\"people\">\(rows)</ul>"
  }

  private func row(_ person: ShareParticipant) -> HTML {
    let name = person.identity.displayName ?? unnamed(person)
    let address = person.identity.displayAddress.map { "\($0) · " } ?? ""
    let changes: HTML =
      person.role == .owner || person.role == .publicUser ? "" : controls(of: person)
    let own: HTML =
      person.awaitsOneTimeLink && person.oneTimeName != nil
      ? "<small>\(url(ofLink: person.oneTimeName ?? ""))</small>" : ""
    return """
      <li><span class="person">\(name)<small>\(address)\(state(of: person))</small>\(own)</span>\
      <span class="row">\(changes)</span></li>
      """
  }

  private func unnamed(_ person: ShareParticipant) -> String {
    if person.role == .owner { return isOwner ? "You" : "The owner" }
    return person.awaitsOneTimeLink ? "A person with a link of their own" : "A user"
  }

  private func url(ofLink name: String) -> String {
    link.prefix { $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/\(name)"
  }

  private func state(of person: ShareParticipant) -> String {
    let permission = person.permission == .readWrite ? "can change" : "can see"
    switch (person.role, person.acceptance) {
    case (.owner, _): return "Owner"
    case (.administrator, .accepted): return "Administrator, \(permission)"
    case (.administrator, _): return "Invited as administrator, \(permission)"
    case (.publicUser, _): return "Joined by the link, \(permission)"
    case (.user, .accepted): return "Takes part, \(permission)"
    case (.user, _): return "Invited, \(permission)"
    }
  }

  private func controls(of person: ShareParticipant) -> HTML {
    let who = [("participant", person.identifier), version].map { (name: $0.0, value: $0.1) }
    let other = person.permission == .readWrite ? "READ_ONLY" : "READ_WRITE"
    let permission = pages.form(
      "permission",
      pages.button(
        person.permission == .readWrite ? "Make Read-Only" : "Allow Changes", .plain,
        isSmall: true),
      who + [(name: "permission", value: other)])
    let isAdministrator = person.role == .administrator
    let role = pages.form(
      "role",
      pages.button(
        isAdministrator ? "Remove Administrator Role" : "Make Administrator", .plain,
        isSmall: true),
      who + [(name: "role", value: isAdministrator ? "USER" : "ADMINISTRATOR")])
    guard !isPublic else { return permission + role }
    return permission + role
      + pages.form("remove", pages.button("Remove", .bad, isSmall: true), who)
  }

  private static let permissions: HTML = """
    <select name="permission" aria-label="Permission"><option value="READ_ONLY">Can see</option>\
    <option value="READ_WRITE">Can change</option></select>
    """

  private var inviting: HTML {
    let fields: HTML = """
      <input type="email" name="address" placeholder="E-mail address" \
      aria-label="E-mail address" required>\
      \(Self.permissions)\(pages.button("Invite", .plain))
      """
    let link: HTML = "<span class=\"soft grow\">A link for one person:</span>"
    let making = link + Self.permissions + pages.button("Make Link", .plain)
    return pages.form("invite", fields, [version], isLine: true) + "\n"
      + pages.form("one-time", making, [version], isLine: true)
  }

  // MARK: Requests

  private var requests: HTML {
    let waiting = share.requests.requesters.enumerated().map { number, person in
      row(person, "Requests access", number, ["approve", "deny", "block"])
    }
    let blocked = share.requests.blocked.enumerated().map { number, person in
      row(person, "Blocked", number, ["unblock"])
    }
    let rows = (waiting + blocked).reduce("" as HTML) { $0 + $1 }
    guard !waiting.isEmpty || !blocked.isEmpty else { return "" }
    return "<h2>Requests</h2><ul class=\"people\">\(rows)</ul>"
  }

  private static let titles: [String: (String, InvitationPages.ButtonKind)] = [
    "approve": ("Admit", .plain), "deny": ("Deny", .plain), "block": ("Block", .bad),
    "unblock": ("Unblock", .plain),
  ]

  private func row(_ person: UserIdentity, _ state: String, _ number: Int, _ actions: [String])
    -> HTML
  {
    let address = person.displayAddress.map { "\($0) · " } ?? ""
    let buttons = actions.reduce("" as HTML) { html, action in
      let (title, kind) = Self.titles[action] ?? (action, .plain)
      return html
        + pages.form(
          action, pages.button(title, kind, isSmall: true),
          [(name: "person", value: String(number)), version])
    }
    return """
      <li><span class="person">\(person.displayName ?? "A user")\
      <small>\(address)\(state)</small></span>\
      <span class="row">\(buttons)</span></li>
      """
  }

  // MARK: Access

  private var access: HTML {
    """
    <h2>Link</h2>
    <p><code>\(link)</code></p>
    <p class="soft">If the application encrypts what is shared, send people the link that the
    application shows: only that one has the key.</p>
    \(isOwner ? openness : "")
    """
  }

  private var openness: HTML {
    let choices: [(String, String, ShareParticipant.Permission)] = [
      ("NONE", "Only invited people", .none),
      ("READ_ONLY", "Everyone with the link can see", .readOnly),
      ("READ_WRITE", "Everyone with the link can change", .readWrite),
    ]
    let options = choices.reduce("" as HTML) { html, choice in
      let mark: HTML = share.publicPermission == choice.2 ? " selected" : ""
      return html + "<option value=\"\(choice.0)\"\(mark)>\(choice.1)</option>"
    }
    let select: HTML = "<select name=\"permission\" aria-label=\"Access\">\(options)</select>"
    let allowed = share.requests.areAllowed
    let effect =
      isPublic
      ? "Closing the share removes all people."
      : "Opening the share withdraws invitations that were not accepted."
    let rule =
      allowed
      ? "People with the link may request access." : "People without an invitation learn nothing."
    let switching: HTML =
      "<span class=\"grow\">\(rule)</span>"
      + pages.button(allowed ? "Forbid Requests" : "Allow Requests", .plain)
    return """
      \(pages.form("access", select + pages.button("Set Access", .plain), [version], isLine: true))
      <p class="soft">\(effect)</p>
      \(pages.form(
        "requests", switching, [(name: "allowed", value: allowed ? "0" : "1"), version],
        isLine: true))
      """
  }

  private var ending: HTML {
    guard isOwner else { return "" }
    return """
      <h2>Stop Sharing</h2>
      <div class="row"><span class="grow soft">All others lose access. Your records stay.</span>\
      \(pages.form("stop", pages.button("Stop Sharing", .bad), [version]))</div>
      """
  }
}
