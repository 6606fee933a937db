import CloudKitClient
import Foundation

extension ShareCommands {
  /// `parhelion share public`.
  static let access = changing(
    "share public", "Set what everyone with the link may do: none, read-only or read-write.",
    operands: ["PERMISSION"]
  ) { operands, _ in
    let permissions: [String: CKShare.ParticipantPermission] = [
      "none": .none, "read-only": .readOnly, "read-write": .readWrite,
    ]
    guard let wanted = permissions[operands[0]] else {
      throw UsageError("PERMISSION is none, read-only or read-write, not \"\(operands[0])\".")
    }
    return { session in try await session.setPublicPermission(wanted) }
  }

  /// `parhelion share link`.
  static let link = Command(
    "share link", "Print a share's link, or make a link for one person.", operands: [operand],
    options: [
      CommandOption("--one-time", "Make a link by which one person can accept."),
      permissionOption,
      CommandOption(
        "--copy",
        "Also copy the link to the clipboard of the terminal, which must allow it (OSC 52)."
      ),
    ] + ShareContext.options, discussion: notes(operand)
  ) { invocation, console in
    guard invocation.has("--one-time") || !invocation.has(permissionOption.name) else {
      throw UsageError("\(permissionOption.name) needs --one-time.")
    }
    return try await ShareContext.translating {
      let session = try await ShareContext(invocation).session(invocation.operands[0])
      let granted = permission(invocation.value(of: permissionOption.name))
      let url =
        invocation.has("--one-time")
        ? try await session.makeOneTimeLink(permission: granted) : session.link
      guard let url else { throw CommandError("The share has no link yet.") }
      if invocation.has("--copy") {
        guard console.isTerminal else {
          throw CommandError("--copy needs a terminal. The link is \(url.absoluteString)")
        }
        let data = Data(url.absoluteString.utf8).base64EncodedString()
        try console.write("\u{1B}]52;c;\(data)\u{07}")
      }
      try console.writeLine(url.absoluteString)
      return .success
    }
  }

  /// `parhelion share stop`.
  static let stop = Command(
    "share stop", "Stop sharing, or leave a share of another person.", operands: [operand],
    options: ShareContext.options, discussion: notes(operand)
  ) { invocation, console in
    try await ShareContext.translating {
      let session = try await ShareContext(invocation).session(invocation.operands[0]) {
        try checkTakesPart($0)
      }
      let isOwner = session.isOwner
      try await session.stop()
      try console.writeLine(
        isOwner
          ? "All others have lost access. Your records stay."
          : "You do not take part in the share any more.")
      return .success
    }
  }

  /// Throws if the person does not take part in the share, because the session ignores that.
  private static func checkTakesPart(_ metadata: CKShare.Metadata) throws(CommandError) {
    switch (metadata.participantRole, metadata.participantStatus) {
    case (_, .accepted): return
    case (.privateUser, .pending), (.administrator, .pending):
      throw CommandError(
        """
        You have not accepted the invitation to this share. Ignore it, or ask the owner to \
        withdraw it.
        """
      )
    default:
      throw CommandError(
        "You do not take part in this share. Check the account, or see “parhelion share list”.")
    }
  }
}
