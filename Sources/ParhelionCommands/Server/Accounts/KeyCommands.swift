import CloudRecords
import RecordServer

/// The commands for the keys of servers and administrators.
enum KeyCommands {
  static let all = [add, list, revoke, administrator, renew]

  /// `parhelion key add`.
  private static let add = Command(
    "key add", "Register the public key of a server that signs requests.",
    options: [
      ServerFolder.option, ContainerOption.container, ContainerOption.environment,
      CommandOption("--public-key", value: "FILE", "The output of “openssl ec -pubout”."),
      ContainerOption.label,
      ContainerOption.expires, .json,
    ],
    discussion: """
      Create a key with “openssl ecparam -name prime256v1 -genkey -noout -out key.pem” and its \
      public key with “openssl ec -in key.pem -pubout -out public.pem”. With --json: {"keyID"}.
      """
  ) { invocation, console in
    let (container, expires) = (
      try ContainerOption.address(invocation), try ContainerOption.expiry(invocation)
    )
    guard let file = invocation.value(of: "--public-key") else {
      throw UsageError("--public-key is missing.")
    }
    let pem = try NamedFile(file, of: "--public-key").text()
    return try await ServerFolder(invocation).withAccounts { accounts in
      let key = try await accounts.addServerKey(
        publicKey: pem, for: container, label: invocation.value(of: "--label") ?? "",
        expires: expires)
      if invocation.has("--json") {
        try console.writeJSON(["keyID": key.identifier])
      } else {
        try console.writeLine("key ID: \(key.identifier)")
      }
      return .success
    }
  }

  /// `parhelion key list`.
  private static let list = Command(
    "key list", "List the keys of servers.", options: [ServerFolder.option, .json],
    discussion:
      #"With --json: {"keys": [{"identifier", "container", "environment", "label", "created", "expires", "revoked"}]}."#
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let keys = try await accounts.listServerKeys().map(ListedCredential.init)
      try ListedCredential.write(keys, as: "keys", invocation, console)
      return .success
    }
  }

  /// `parhelion key revoke`.
  private static let revoke = Command(
    "key revoke", "Revoke a server's key. The server then rejects its requests.",
    operands: ["IDENTIFIER"],
    options: [ServerFolder.option], discussion: "A running server applies this within ten seconds."
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      try await accounts.revokeServerKey(invocation.operands[0])
      try console.writeLine("\(invocation.operands[0]) is revoked.")
      return .success
    }
  }

  /// `parhelion key renew`.
  private static let renew = Command(
    "key renew",
    "Renew the server's own secrets, which sign file URLs, receipts and forms.",
    options: [
      ServerFolder.option,
      CommandOption(
        "--at-once",
        "Invalidate the former secrets' signatures now. By default, they stay valid for a day."),
    ],
    discussion: """
      Use it if a backup was lost. With --at-once, unfinished uploads must start again; users stay \
      signed in either way. A running server applies this within a minute. User record names, \
      which depend on one of the secrets, stay.
      """
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      try await accounts.renewSecrets(atOnce: invocation.has("--at-once"))
      try console.writeLine("The server's secrets are renewed.")
      return .success
    }
  }

  /// `parhelion key administrator`.
  private static let administrator = Command(
    "key administrator", "Create a new administrators' key, which invalidates the former one.",
    options: [ServerFolder.option, .json],
    discussion:
      #"It is shown once. Requests carry it as “Authorization: Bearer KEY”. With --json: {"administratorKey"}."#
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      let key = try await accounts.replaceAdministratorKey()
      if invocation.has("--json") {
        try console.writeJSON(["administratorKey": key])
      } else {
        try console.writeLine("administrators' key: \(key)")
      }
      return .success
    }
  }
}
