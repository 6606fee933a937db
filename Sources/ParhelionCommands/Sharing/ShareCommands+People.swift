import CloudKitClient
import RecordServer

extension ShareCommands {
  static let permissionOption = CommandOption(
    "--permission", choices: ["read-only", "read-write"],
    "What the person may do; default read-only.")

  static func permission(_ word: String?) -> CKShare.ParticipantPermission {
    word == "read-write" ? .readWrite : .readOnly
  }

  /// `parhelion share add`.
  static let add = changing(
    "share add",
    "Invite a person, or change what an invited one may do. A server with --smtp sends a mail.",
    operands: ["ADDRESS"],
    options: [
      CommandOption(
        permissionOption.name, choices: permissionOption.choices,
        "What the person may do; by default read-only, or unchanged for a participant."),
      CommandOption("--administrator", "Let the person invite and remove others."),
    ]
  ) { operands, invocation in
    let address = try emailAddress(operands[0])
    let word = invocation.value(of: permissionOption.name)
    let isAdministrator = invocation.has("--administrator")
    return { session in
      try await invite(address, word, isAdministrator: isAdministrator, to: session)
    }
  }

  /// Invites a person, or changes what a participant may do.
  ///
  /// - Parameter word: The permission; nil keeps a participant's, and is read-only for others.
  private static func invite(
    _ address: String, _ word: String?, isAdministrator: Bool, to session: CloudSharingSession
  ) async throws {
    let known = try await session.participant(emailAddress: address)
    guard known?.role != .owner else {
      throw CommandError("\(address) owns this share already, and has all permissions.")
    }
    let granted = word == nil ? known?.permission ?? .readOnly : permission(word)
    let role: CKShare.ParticipantRole =
      isAdministrator ? .administrator : known?.role ?? .privateUser
    // The server does not change the permission of a person who joined by the link.
    if let known, known.role != .publicUser, known.permission == granted, known.role == role {
      throw CommandError(
        """
        \(address) is in this share already (\(ShareText.state(known))). \
        “parhelion share permission” changes that.
        """
      )
    }
    try await session.invite(emailAddress: address, permission: granted, role: role)
  }

  /// Parses an operand as an e-mail address.
  private static func emailAddress(_ text: String) throws(UsageError) -> String {
    if let address = (try? SignInName(text))?.emailAddress { return address }
    let user = try? DevelopmentUserName(text)
    let suggestion = user.map { "; a development user's is \($0.word)@\(DevelopmentUserName.host)" }
    throw UsageError("\"\(text.prefix(80))\" is not an e-mail address\(suggestion ?? "").")
  }

  /// `parhelion share remove`.
  static let remove = changing(
    "share remove", "Remove a person, or withdraw an invitation.", operands: ["PERSON"]
  ) { operands, _ in
    let name = operands[0]
    return { session in try await session.remove(try session.participant(name)) }
  }

  /// `parhelion share permission`.
  static let permission = changing(
    "share permission", "Set what a person may do: read-only or read-write.",
    operands: ["PERSON", "PERMISSION"],
    options: [
      CommandOption("--administrator", "Also let the person invite and remove others."),
      CommandOption("--no-administrator", "Also take that away."),
    ]
  ) { operands, invocation in
    let (name, word) = (operands[0], operands[1])
    guard ["read-only", "read-write"].contains(word) else {
      throw UsageError("PERMISSION is read-only or read-write, not \"\(word)\".")
    }
    let (promotes, demotes) = (
      invocation.has("--administrator"), invocation.has("--no-administrator")
    )
    guard !promotes || !demotes else {
      throw UsageError("--administrator and --no-administrator exclude each other.")
    }
    let wanted = ShareCommands.permission(word)
    return { session in
      let person = try session.participant(name)
      // The server ignores a permission or role of a person who joined by the link.
      guard person.role != .publicUser else {
        throw CommandError(
          """
          “\(name)” joined by the link. “parhelion share public” sets what everyone with the link \
          may do.
          """
        )
      }
      if person.permission != wanted { try await session.setPermission(wanted, of: person) }
      guard promotes || demotes else { return }
      try await session.setRole(
        promotes ? .administrator : .privateUser, of: try session.participant(name))
    }
  }

  /// `parhelion share requests`.
  static let requests = changing(
    "share requests", "Allow access requests, and answer them.",
    options: [
      CommandOption("--allow", "Let people with the link request access."),
      CommandOption("--forbid", "Let them learn nothing; the default."),
      CommandOption("--approve", value: "PERSON", isRepeatable: true, "Admit a person."),
      permissionOption,
      CommandOption(
        "--deny", value: "PERSON", isRepeatable: true, "Reject a request; the person may ask again."
      ),
      CommandOption(
        "--block", value: "PERSON", isRepeatable: true,
        "Reject a request, and further ones of the person."),
      CommandOption("--unblock", value: "PERSON", isRepeatable: true, "Let a person ask again."),
    ]
  ) { _, invocation in
    guard !invocation.has("--allow") || !invocation.has("--forbid") else {
      throw UsageError("--allow and --forbid exclude each other.")
    }
    guard invocation.has("--approve") || !invocation.has(permissionOption.name) else {
      throw UsageError("\(permissionOption.name) needs --approve.")
    }
    return { session in try await answerRequests(of: session, invocation) }
  }

  private static func answerRequests(of session: CloudSharingSession, _ invocation: Invocation)
    async throws
  {
    let granted = permission(invocation.value(of: permissionOption.name))
    for name in invocation.values(of: "--approve") {
      try await session.approve(try session.requester(name), permission: granted)
    }
    for name in invocation.values(of: "--deny") {
      try await session.deny(try session.requester(name))
    }
    for name in invocation.values(of: "--block") {
      try await session.block(try session.requester(name))
    }
    for name in invocation.values(of: "--unblock") {
      try await session.unblock(try session.blocked(name))
    }
    if invocation.has("--allow") { try await session.setAllowsAccessRequests(true) }
    if invocation.has("--forbid") { try await session.setAllowsAccessRequests(false) }
  }
}
