import CloudRecords
import RecordServer

/// The commands for user accounts.
enum UserCommands {
  static let all = [
    add, invite, list, remove, password, disable, enable, verify, discoverable, hidden,
  ]

  private static let nameRule =
    "NAME is the e-mail address or plain name with which the user signs in. The server may be running."

  /// `parhelion user add`.
  private static let add = Command(
    "user add", "Create an account, with a password from standard input.", operands: ["NAME"],
    options: [
      ServerFolder.option, ContainerOption.container,
      CommandOption("--given-name", value: "TEXT", "The user's given name."),
      CommandOption("--family-name", value: "TEXT", "The user's family name."), .json,
    ],
    discussion: """
      \(nameRule) A user has a different user record name in each container; the one for \
      --container, or for the only container, is printed. With --json: {"name", "userRecordName"}.
      """
  ) { invocation, console in
    let components = nameComponents(invocation)
    let password = try console.newPassword(for: invocation.operands[0])
    return try await ServerFolder(invocation).withAccounts { accounts in
      let account = try await accounts.signUp(
        name: invocation.operands[0], password: password, nameComponents: components, from: nil)
      let container = try await ContainerOption.name(invocation, accounts)
      let name = container.map { accounts.userRecordName(of: account, in: $0) }
      if invocation.has("--json") {
        try console.writeJSON(["name": account.name, "userRecordName": name])
      } else {
        try console.writeLine(
          "\(account.name) can sign in.\(name.map { " The user record name is \($0)." } ?? "")")
      }
      return .success
    }
  }

  /// `parhelion user invite`.
  private static let invite = Command(
    "user invite", "Create an invitation code, with which one person may create an account.",
    options: [ServerFolder.option, ContainerOption.expires, .json],
    discussion: """
      The code is shown once; the server keeps its hash. It is valid for one account, and for two \
      weeks by default. The server may be running. With --json: {"invitation", "expires"}.
      """
  ) { invocation, console in
    let expires = try ContainerOption.expiry(invocation)
    return try await ServerFolder(invocation).withAccounts { accounts in
      let invitation = try await accounts.invite(until: expires)
      if invocation.has("--json") {
        try console.writeJSON(["invitation": invitation.code, "expires": invitation.expires.text])
      } else {
        try console.writeLine("invitation code: \(invitation.code)")
        try console.writeLine("valid until \(invitation.expires.text)")
      }
      return .success
    }
  }

  private static func nameComponents(_ invocation: Invocation) -> UserIdentity.NameComponents? {
    var components = UserIdentity.NameComponents()
    components.givenName = invocation.value(of: "--given-name")
    components.familyName = invocation.value(of: "--family-name")
    return components == UserIdentity.NameComponents() ? nil : components
  }

  /// `parhelion user list`.
  private static let list = Command(
    "user list", "List the accounts.",
    options: [ServerFolder.option, ContainerOption.container, .json],
    discussion:
      #"With --json: {"users": [{"name", "created", "disabled", "hasProvenAddress", "userRecordName"}]}."#
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let container = try await ContainerOption.name(invocation, accounts)
      let users = try await accounts.accounts().map { account in
        ListedUser(account, container.map { accounts.userRecordName(of: account, in: $0) })
      }
      if invocation.has("--json") {
        try console.writeJSON(["users": users])
      } else {
        try console.writeLines(TextColumns.lines(users.map(\.cells)))
      }
      return .success
    }
  }

  /// `parhelion user remove`.
  private static let remove = Command(
    "user remove", "Remove an account. Its records stay.", operands: ["NAME"],
    options: [ServerFolder.option],
    discussion: "\(nameRule) An account that gets the name later is a different user."
  ) { invocation, console in
    try await change(invocation, console, "is removed") { try await $0.remove(accountNamed: $1) }
  }

  /// `parhelion user password`.
  private static let password = Command(
    "user password",
    "Change an account's password, from standard input, and end all its sessions.",
    operands: ["NAME"], options: [ServerFolder.option], discussion: nameRule
  ) { invocation, console in
    let password = try console.newPassword(for: invocation.operands[0])
    return try await change(invocation, console, "has a new password") {
      try await $0.setPassword(ofAccount: $1, to: password)
    }
  }

  /// `parhelion user disable`.
  private static let disable = Command(
    "user disable", "Disable an account. Its sessions end, and signing in is not possible.",
    operands: ["NAME"],
    options: [ServerFolder.option], discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console, "is disabled") { try await $0.disable(accountNamed: $1) }
  }

  /// `parhelion user enable`.
  private static let enable = Command(
    "user enable", "Enable a disabled account.", operands: ["NAME"],
    options: [ServerFolder.option],
    discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console, "is enabled") { try await $0.enable(accountNamed: $1) }
  }

  /// `parhelion user verify`.
  private static let verify = Command(
    "user verify",
    "Mark an account's e-mail address as verified, so that invitations to it can be accepted.",
    operands: ["NAME"], options: [ServerFolder.option], discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console, "has a verified address") {
      try await $0.setAddressProven(true, ofAccountNamed: $1)
    }
  }

  /// `parhelion user discoverable`.
  private static let discoverable = Command(
    "user discoverable",
    "Let others find a user by user record name or verified address.",
    operands: ["NAME"], options: [ServerFolder.option], discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console, "can be found") {
      try await $0.setDiscoverable(true, accountNamed: $1)
    }
  }

  /// `parhelion user hidden`.
  private static let hidden = Command(
    "user hidden", "Keep others from finding a user. This is the default.",
    operands: ["NAME"],
    options: [ServerFolder.option], discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console, "cannot be found") {
      try await $0.setDiscoverable(false, accountNamed: $1)
    }
  }

  private static func change(
    _ invocation: Invocation, _ console: any Console, _ result: String,
    _ body: (Accounts, String) async throws -> Void
  ) async throws -> CommandStatus {
    try await ServerFolder(invocation).withAccounts { accounts in
      try await body(accounts, invocation.operands[0])
      try console.writeLine("\(invocation.operands[0]) \(result).")
      return .success
    }
  }
}
