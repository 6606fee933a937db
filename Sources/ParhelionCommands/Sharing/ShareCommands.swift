import CloudKitClient
import Foundation

/// The `parhelion share` commands.
enum ShareCommands {
  static let all =
    [list, show, create]
    + [add, remove, permission]
    + [access, link, requests, stop]
    + [accept, requestAccess, wait, open, register]

  /// The operand that names a share.
  static let operand = "SHARE"

  /// The explanations of operands and values in the help.
  private static let meanings = [
    (
      operand,
      "SHARE is a share's link, or the name of a zone of yours that is shared as a whole."
    ),
    ("ZONE", "ZONE is the name of a zone of yours, which is created if it does not exist."),
    ("LINK", "LINK is a share's link, as “share create” and “share link” print it."),
    (
      "ADDRESS",
      "ADDRESS is an e-mail address; that of the development user bob is bob@development.invalid."
    ),
    (
      "PERSON",
      "PERSON is an e-mail address, a name, or the identifier that “share show” prints."
    ),
  ]

  private static let accountNote = """
    The container and the account are those of PARHELION_CONTAINER and so on, or of the \
    configuration file, as for an application. --container, --server and --user take the place of \
    PARHELION_CONTAINER, PARHELION_SERVER and PARHELION_DEVELOPMENT_USER. If no variable is set, \
    --container alone names a container of the configuration file.
    """

  /// The help text that explains the named operands and values, and the account.
  static func notes(_ names: String...) -> String { notes(names) }

  private static func notes(_ names: [String]) -> String {
    let explained = meanings.filter { names.contains($0.0) }.map { $0.1 }
    return (explained + [accountNote]).joined(separator: " ")
  }

  // MARK: Showing

  /// `parhelion share list`.
  private static let list = Command(
    "share list", "List the shares that you own or take part in.",
    options: ShareContext.options + [.json], discussion: notes()
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
    operands: [operand], options: ShareContext.options + [.json], discussion: notes(operand)
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
    ], discussion: notes("ZONE")
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

  /// A change of a share.
  typealias Change = @Sendable (CloudSharingSession) async throws -> Void

  /// Creates a command that changes a share and prints it.
  ///
  /// - Parameter makeChange: Checks the operands after SHARE and the options, before any request.
  static func changing(
    _ path: String, _ summary: String, operands: [String] = [], options: [CommandOption] = [],
    _ makeChange: @escaping @Sendable ([String], Invocation) throws -> Change
  ) -> Command {
    let names = [operand] + operands
    return Command(
      path, summary, operands: names, options: options + ShareContext.options + [.json],
      discussion: notes(names + options.compactMap(\.value))
    ) { invocation, console in
      let change = try makeChange(Array(invocation.operands.dropFirst()), invocation)
      return try await ShareContext.translating {
        let session = try await ShareContext(invocation).session(invocation.operands[0])
        try await change(session)
        try print(session, invocation, console)
        return .success
      }
    }
  }
}
