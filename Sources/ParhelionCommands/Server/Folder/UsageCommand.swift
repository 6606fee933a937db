import RecordServer

/// `parhelion usage`.
enum UsageCommand {
  static let command = Command(
    "usage", "Show the sizes of a container's databases. The server may be running.",
    options: [ServerFolder.option, ContainerOption.container, ContainerOption.environment, .json],
    discussion: """
      Bytes are those of the records and their files, as quotas count them. With --json: \
      {"databases": [{"userRecordName", "zones", "records", "files", "bytes"}]}; the public \
      database has no user record name.
      """
  ) { invocation, console in
    let container = try ContainerOption.address(invocation)
    return try await ServerFolder(invocation).withAccounts { accounts in
      let databases = try await accounts.server.usage(of: container).map(ListedUsage.init)
      if invocation.has("--json") {
        try console.writeJSON(["databases": databases])
      } else {
        try console.writeLines(TextColumns.lines(databases.map(\.cells)))
      }
      return .success
    }
  }
}

/// The size of a database, as an entry of a list.
private struct ListedUsage: Encodable {
  let userRecordName: String?
  let zones: Int
  let records: Int
  let files: Int
  let bytes: Int64

  init(_ usage: DatabaseUsage) {
    userRecordName = usage.owner
    (zones, records, files, bytes) = (usage.zones, usage.records, usage.files, usage.bytes)
  }

  /// The columns of the list.
  var cells: [String] {
    [
      userRecordName ?? "public", Counted.text(zones, "zone"), Counted.text(records, "record"),
      Counted.text(files, "file"), Counted.text(bytes, "byte"),
    ]
  }
}
