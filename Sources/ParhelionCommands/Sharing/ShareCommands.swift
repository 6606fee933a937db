import CloudKitClient
import Foundation

/// The commands of the terminal's sharing sheet.
enum ShareCommands {
  static let all =
    [list, show, create]
    + [add, remove, permission]
    + [access, link, requests, stop]
    + [accept, requestAccess, wait, open, register]

  /// The operand that names a share.
  static let operand = "SHARE"

  static let notes = """
    SHARE is a share's link, or the name of a zone of yours that is shared as a whole. PERSON is \
    an e-mail address, a name, or the identifier that “share show” prints. The container and the \
    account are those of PARHELION_CONTAINER and so on, or of the configuration file, as for an \
    application; --container, --server and --user name others.
    """

  // MARK: Showing

  /// `parhelion share list`.
  private static let list = Command(
    "share list", "List the shares that you own or take part in.",
    options: ShareContext.options + [.json], discussion: notes
  ) { invocation, console in
    try await ShareContext.translating {
      let context = try ShareContext(invocation)
      let shares = try await context.shares()
      if invocation.has("--json") {
        try console.writeJSON(["shares": shares.map(ShareDocument.init)])
      } else if shares.isEmpty {
        try console.writeLine("There are no shares.")
      } else {
        for share in shares { try console.writeLine(ShareText.plain(ShareText.line(share))) }
      }
      return .success
    }
  }

  /// `parhelion share show`.
  private static let show = Command(
    "share show", "Show a share's link, access, people and access requests.",
    operands: [operand], options: ShareContext.options + [.json], discussion: notes
  ) { invocation, console in
    try await ShareContext.translating {
      let session = try await ShareContext(invocation).session(invocation.operands[0])
      try print(session, invocation, console)
      return .success
    }
  }

  /// `parhelion share create`.
  private static let create = Command(
    "share create", "Share a zone of yours as a whole.", operands: ["ZONE"],
    options: ShareContext.options + [
      CommandOption("--title", value: "TEXT", "What people read in the invitation."),
      CommandOption("--thumbnail", value: "FILE", "A small image in PNG, JPEG or GIF."),
      .json,
    ], discussion: notes
  ) { invocation, console in
    try await ShareContext.translating {
      let context = try ShareContext(invocation)
      let session = try await context.created(
        invocation.operands[0], title: invocation.value(of: "--title"),
        thumbnail: invocation.value(of: "--thumbnail"))
      try print(session, invocation, console)
      return .success
    }
  }

  /// Prints a share as it is now.
  static func print(
    _ session: CloudSharingSession, _ invocation: Invocation, _ console: any Console
  ) throws {
    guard let share = session.share else { return }
    if invocation.has("--json") {
      try console.writeJSON(ShareDocument(share))
    } else {
      for line in ShareText.lines(share) { try console.writeLine(line) }
    }
  }

  /// Creates a command that changes a share and prints it.
  static func changing(
    _ path: String, _ summary: String, operands: [String] = [], options: [CommandOption] = [],
    _ change:
      @escaping @Sendable (CloudSharingSession, [String], Invocation) async throws -> Void
  ) -> Command {
    Command(
      path, summary, operands: [operand] + operands,
      options: options + ShareContext.options + [.json], discussion: notes
    ) { invocation, console in
      try await ShareContext.translating {
        let session = try await ShareContext(invocation).session(invocation.operands[0])
        try await change(session, Array(invocation.operands.dropFirst()), invocation)
        try print(session, invocation, console)
        return .success
      }
    }
  }
}
