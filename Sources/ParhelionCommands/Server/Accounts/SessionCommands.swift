import CloudRecords
import RecordServer

/// The commands for a user's sessions.
enum SessionCommands {
  static let all = [token, list, signOut]

  /// `parhelion user token`.
  private static let token = Command(
    "user token", "Sign a user in on another device, and print the web token.",
    operands: ["NAME"],
    options: [ServerFolder.option, ContainerOption.container, ContainerOption.environment, .json],
    discussion: """
      Each device needs a separate web token: the server replaces a token while it is used, so a \
      device that shares one is signed out while another one continues. All of them work with the \
      application's one API token. The token is shown once. The server may be running. With \
      --json: {"webAuthToken"}.
      """
  ) { invocation, console in
    let container = try ContainerOption.address(invocation)
    return try await ServerFolder(invocation).withAccounts { accounts in
      let account = try await accounts.account(named: invocation.operands[0])
      let webToken = try await accounts.startSession(of: account, in: container, isKept: true)
        .webToken
      if invocation.has("--json") {
        try console.writeJSON(["webAuthToken": webToken])
      } else {
        try console.writeLine("web token: \(webToken)")
      }
      return .success
    }
  }

  /// `parhelion user sessions`.
  private static let list = Command(
    "user sessions", "List a user's sessions.", operands: ["NAME"],
    options: [ServerFolder.option, .json],
    discussion:
      #"With --json: {"sessions": [{"identifier", "container", "environment", "started", "isKept"}]}."#
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let account = try await accounts.account(named: invocation.operands[0])
      let sessions = try await accounts.sessions(of: account).map(ListedSession.init)
      if invocation.has("--json") {
        try console.writeJSON(["sessions": sessions])
      } else {
        try console.writeLines(TextColumns.lines(sessions.map(\.cells)))
      }
      return .success
    }
  }

  /// `parhelion user sign-out`.
  private static let signOut = Command(
    "user sign-out", "End one or all of a user's sessions.", operands: ["NAME", "[SESSION]"],
    options: [ServerFolder.option], discussion: "A running server applies this within ten seconds."
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let account = try await accounts.account(named: invocation.operands[0])
      if invocation.operands.count > 1 {
        try await accounts.endSession(invocation.operands[1], of: account)
        try console.writeLine("The session of \(account.name) has ended.")
      } else {
        try await accounts.endSessions(of: account)
        try console.writeLine("\(account.name) is signed out everywhere.")
      }
      return .success
    }
  }
}

/// A session, as an entry of a list.
private struct ListedSession: Encodable {
  let identifier: String
  let container: String
  let environment: String
  let started: String
  let isKept: Bool

  init(_ session: SessionSummary) {
    identifier = session.identifier
    container = session.container.container
    environment = session.container.environment.rawValue
    started = session.started.text
    isKept = session.isKept
  }

  /// The columns of the list.
  var cells: [String] {
    [
      identifier, "\(container)/\(environment)", "since \(started)",
      isKept ? "stays signed in" : "",
    ]
  }
}
