import CloudRecords
import Foundation
import RecordServer

/// The commands for the keys of servers and administrators.
enum KeyCommands {
  static let all = [add, list, revoke, administrator, renew]

  /// `parhelion key add`.
  private static let add = Command(
    "key add", "Register the public half of a key that a server of yours signs requests with.",
    options: [
      ServerFolder.option, ContainerOption.container, ContainerOption.environment,
      CommandOption("--public-key", value: "FILE", "What “openssl ec -pubout” wrote."),
      ContainerOption.label,
      ContainerOption.expires, .json,
    ],
    discussion: """
      Make a key with “openssl ecparam -name prime256v1 -genkey -noout -out key.pem” and its public half with “openssl ec -in key.pem \
      -pubout -out public.pem”. With --json: {"keyID"}.
      """
  ) { invocation, console in
    let (container, expires) = (
      try ContainerOption.address(invocation), try ContainerOption.expiry(invocation)
    )
    guard let file = invocation.value(of: "--public-key") else {
      throw UsageError("--public-key is missing.")
    }
    guard let pem = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw CommandError("\(file) cannot be read as text.")
    }
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
    "key revoke", "Revoke the key of a server: what it signs is refused.", operands: ["IDENTIFIER"],
    options: [ServerFolder.option], discussion: "A running server knows after ten seconds at most."
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
    "Make the server's own secrets anew, which sign addresses of files, receipts and forms.",
    options: [
      ServerFolder.option,
      CommandOption(
        "--at-once", "Let what the former secrets signed be good no more; else it is for a day."),
    ],
    discussion: """
      For the day on which a backup got lost. Uploads that go on have to begin anew with --at-once; people stay signed in either way. A running \
      server knows after a minute at most. Names of users, which one of the secrets gave, stay.
      """
  ) { invocation, console in
    try await ServerFolder(invocation).withAccounts { accounts in
      try await accounts.renewSecrets(atOnce: invocation.has("--at-once"))
      try console.writeLine("The server's secrets are new.")
      return .success
    }
  }

  /// `parhelion key administrator`.
  private static let administrator = Command(
    "key administrator", "Make another administrators' key; the one before is no good any more.",
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
