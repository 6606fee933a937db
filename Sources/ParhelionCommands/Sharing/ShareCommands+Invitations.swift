import CloudKitClient
import Foundation

extension ShareCommands {
  /// `parhelion share accept`.
  static let accept = Command(
    "share accept", "Accept an invitation by its link.", operands: ["LINK"],
    options: ShareContext.options + [.json], discussion: notes("LINK")
  ) { invocation, console in
    try await ShareContext.translating {
      let context = try ShareContext(invocation)
      let metadata = try await context.metadata(invocation.operands[0])
      let share = try await context.container.accept(metadata)
      try print(
        CloudSharingSession(share: share, container: context.container), invocation, console)
      return .success
    }
  }

  /// `parhelion share request`.
  static let requestAccess = Command(
    "share request", "Request access to a share by its link.", operands: ["LINK"],
    options: ShareContext.options, discussion: notes("LINK")
  ) { invocation, console in
    try await ShareContext.translating {
      let context = try ShareContext(invocation)
      let url = try ShareContext.link(invocation.operands[0])
      try checkNeedsRequest(try await context.metadata(invocation.operands[0]))
      let results = try await context.container.requestShareAccess(for: [url])
      try results[url]?.get()
      try console.writeLine("The request was sent.")
      return .success
    }
  }

  /// Throws if the person has access already, because the server would ignore the request.
  private static func checkNeedsRequest(_ metadata: CKShare.Metadata) throws(CommandError) {
    switch (metadata.participantRole, metadata.participantStatus) {
    case (.owner, _): throw CommandError("You own this share.")
    case (_, .accepted): throw CommandError("You take part in this share already.")
    case (.publicUser, _):
      throw CommandError(
        "This share is open to everyone with the link. Use “parhelion share accept”.")
    default: break
    }
  }

  // MARK: Opening invitations in applications

  /// `parhelion share wait`.
  static let wait = Command(
    "share wait", "Wait for invitations that are opened in the browser, and print each.",
    options: [
      CommandOption("--accept", "Accept them."),
      CommandOption("--once", "End after the first."),
      CommandOption(
        "--page", value: "LINK", "Print the address of a share's page that leads back here."),
    ] + ShareContext.options, discussion: notes("LINK")
  ) { invocation, console in
    try await ShareContext.translating {
      let container = try ShareContext(invocation).container
      let handler = try await container.invitationHandler()
      if let link = invocation.value(of: "--page") {
        try console.writeLine(handler.page(for: try ShareContext.link(link)).absoluteString)
      }
      console.report("Waiting for invitations. Control-C ends.")
      do {
        try await take(handler, container, invocation, console)
      } catch {
        await handler.stop()
        throw error
      }
      await handler.stop()
      return .success
    }
  }

  /// Prints the invitations that arrive, after accepting them if the user asked for that.
  private static func take(
    _ invitations: CKContainer.InvitationHandler, _ container: CKContainer,
    _ invocation: Invocation, _ console: any Console
  ) async throws {
    for await metadata in invitations {
      do {
        let share =
          invocation.has("--accept") ? try await container.accept(metadata) : metadata.share
        try console.writeLine(ShareText.plain(ShareText.line(share)))
      } catch let error as CKError where !invocation.has("--once") {
        let line = ShareText.plain(ShareText.line(metadata.share))
        console.report("\(line)\nThe invitation cannot be accepted: \(error.localizedDescription)")
      }
      if invocation.has("--once") { break }
    }
  }

  /// `parhelion share open`.
  static let open = Command(
    "share open", "Hand an address of the scheme parhelion-share to the waiting program.",
    operands: ["ADDRESS"],
    discussion:
      "Browsers call it after “share register”. It ends with status 1 if no program waits."
  ) { invocation, console in
    try await ShareContext.translating {
      guard let url = URL(string: invocation.operands[0]) else {
        throw UsageError(
          """
          ADDRESS cannot be "\(invocation.operands[0])"; it begins with parhelion-share:open?
          """
        )
      }
      guard try await CKContainer.openInvitation(url) else {
        throw CommandError(
          """
          No program waits for this invitation. Start the application, and choose “Open in \
          Application” again.
          """
        )
      }
      try console.writeLine("The application has the invitation.")
      return .success
    }
  }

  /// `parhelion share register`.
  static let register = Command(
    "share register",
    "Make the browsers of this user call “share open” for the scheme parhelion-share.",
    options: [
      CommandOption(
        "--command", value: "PATH", "A program to call instead, with the address as its argument."),
      CommandOption("--remove", "Remove the entry."),
    ],
    discussion: """
      It writes parhelion-share.desktop into the folder of the user's applications \
      ($XDG_DATA_HOME/applications), and names it as the handler of the scheme in mimeapps.list.
      """
  ) { invocation, console in
    let removes = invocation.has("--remove")
    guard !removes || !invocation.has("--command") else {
      throw UsageError("--command and --remove exclude each other.")
    }
    let entry = try SchemeEntry(command: invocation.value(of: "--command"))
    try console.writeLine(removes ? try entry.remove() : try entry.install())
    return .success
  }
}
