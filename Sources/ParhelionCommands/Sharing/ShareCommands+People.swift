import CloudKitClient

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
      permissionOption,
      CommandOption("--administrator", "Let the person invite and remove others."),
    ]
  ) { session, operands, invocation in
    try await session.invite(
      emailAddress: operands[0],
      permission: permission(invocation.value(of: permissionOption.name)),
      role: invocation.has("--administrator") ? .administrator : .privateUser)
  }

  /// `parhelion share remove`.
  static let remove = changing(
    "share remove", "Remove a person, or withdraw an invitation.", operands: ["PERSON"]
  ) { session, operands, _ in
    try await session.remove(try session.participant(operands[0]))
  }

  /// `parhelion share permission`.
  static let permission = changing(
    "share permission", "Set what a person may do: read-only or read-write.",
    operands: ["PERSON", "PERMISSION"],
    options: [
      CommandOption("--administrator", "Also let the person invite and remove others."),
      CommandOption("--no-administrator", "Also take that away."),
    ]
  ) { session, operands, invocation in
    guard ["read-only", "read-write"].contains(operands[1]) else {
      throw UsageError("PERMISSION is read-only or read-write, not \"\(operands[1])\".")
    }
    let (promotes, demotes) = (
      invocation.has("--administrator"), invocation.has("--no-administrator")
    )
    guard !promotes || !demotes else {
      throw UsageError("--administrator and --no-administrator exclude each other.")
    }
    let person = try session.participant(operands[0])
    let wanted = ShareCommands.permission(operands[1])
    if person.permission != wanted { try await session.setPermission(wanted, of: person) }
    guard promotes || demotes else { return }
    try await session.setRole(
      promotes ? .administrator : .privateUser, of: try session.participant(operands[0]))
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
        "--block", value: "PERSON", isRepeatable: true, "Reject a request, and further ones."),
      CommandOption("--unblock", value: "PERSON", isRepeatable: true, "Let a person ask again."),
    ]
  ) { session, _, invocation in
    guard !invocation.has("--allow") || !invocation.has("--forbid") else {
      throw UsageError("--allow and --forbid exclude each other.")
    }
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
