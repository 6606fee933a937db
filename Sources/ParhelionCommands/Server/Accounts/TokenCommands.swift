import CloudRecords
import RecordServer

/// The commands for the tokens of applications.
enum TokenCommands {
  static let all = [create, list, revoke]

  /// `parhelion token create`.
  private static let create = Command(
    "token create", "Create an API token for an application, and its container if that is new.",
    options: [
      ServerFolder.option, ContainerOption.container, ContainerOption.environment,
      CommandOption("--user", value: "NAME", "Also sign this user in, and print the web token."),
      CommandOption(
        "--origin", value: "URL", isRepeatable: true,
        "An origin whose pages may use the token and receive sign-ins, such as https://example.com. By default, all may."
      ),
      CommandOption(
        "--callback", value: "URL",
        "The page that a browser opens after signing in, with ?ckWebAuthToken=…"),
      ContainerOption.label, ContainerOption.expires, .json,
    ],
    discussion: """
      The token is shown once. It identifies the application and is not a secret from its users; \
      the web token is a secret. The server may be running. With --json: {"apiToken", \
      "identifier", "webAuthToken"}.
      """
  ) { invocation, console in
    let (container, expires) = (
      try ContainerOption.address(invocation), try ContainerOption.expiry(invocation)
    )
    return try await ServerFolder(invocation).withAccounts { accounts in
      // Do not create a token if the user does not exist.
      var account: Account?
      if let name = invocation.value(of: "--user") {
        account = try await accounts.account(named: name)
      }
      let created = try await accounts.createAPIToken(
        for: container, label: invocation.value(of: "--label") ?? "",
        allowedOrigins: invocation.values(of: "--origin"),
        callbackURL: invocation.value(of: "--callback"), expires: expires)
      var webToken: String?
      if let account {
        webToken = try await accounts.startSession(of: account, in: container, isKept: true)
          .webToken
      }
      let result = MadeToken(
        apiToken: created.text, identifier: created.token.identifier, webAuthToken: webToken)
      if invocation.has("--json") {
        try console.writeJSON(result)
      } else {
        for line in result.lines { try console.writeLine(line) }
      }
      return .success
    }
  }

  private struct MadeToken: Encodable {
    let apiToken: String
    let identifier: String
    let webAuthToken: String?

    var lines: [String] {
      ["API token: \(apiToken)", "identifier: \(identifier)"]
        + (webAuthToken.map { ["web token: \($0)"] } ?? [])
    }
  }

  /// `parhelion token list`.
  private static let list = Command(
    "token list", "List the API tokens, without their secrets.",
    options: [ServerFolder.option, .json],
    discussion:
      #"With --json: {"tokens": [{"identifier", "container", "environment", "label", "created", "expires", "revoked", "origins", "callback"}]}."#
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let tokens = try await accounts.listAPITokens().map(ListedCredential.init)
      try ListedCredential.write(tokens, as: "tokens", invocation, console)
      return .success
    }
  }

  /// `parhelion token revoke`.
  private static let revoke = Command(
    "token revoke", "Revoke an API token. The server then rejects the application.",
    operands: ["IDENTIFIER"],
    options: [ServerFolder.option], discussion: "A running server applies this within ten seconds."
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      try await accounts.revokeAPIToken(invocation.operands[0])
      try console.writeLine("\(invocation.operands[0]) is revoked.")
      return .success
    }
  }
}
