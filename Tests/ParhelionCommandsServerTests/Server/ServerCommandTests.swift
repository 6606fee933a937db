import AssetStorage
import CloudRecords
import CommandTestSupport
import Cryptography
import Foundation
import ParhelionCommands
import RecordServer
import RecordServerHTTP
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite("Record server commands", .blockingThreads, .endsAtAll)
struct ServerCommandTests {
  /// A folder on which a server was started once.
  private func withFolder(_ body: (URL) throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      try await startOnce(folder)
      try body(folder)
    }
  }

  /// Starts a server on a folder, and stops it.
  ///
  /// - Parameter contents: The files that are uploaded meanwhile.
  private func startOnce(_ folder: URL, uploading contents: [String] = []) async throws {
    var configuration = CloudServer.Configuration()
    configuration.files = folder.path + "/assets"
    let server = try await CloudServer.start(
      on: try SQLiteStorageEngine(folder: folder.path), configuration)
    let grant = UploadGrant(
      realm: Realm(number: 1), scope: .private, owner: "_ada", userRecordName: "_ada",
      recordName: nil,
      fieldName: "f",
      expires: Timestamp(milliseconds: .max))
    for text in contents {
      let files = try #require(server.service.files)
      let upload = try await files.begin(length: Int64(text.utf8.count))
      try await upload.append(Array(text.utf8))
      _ = try await files.finish(upload, for: grant)
    }
    await server.shutdown(within: .zero)
  }

  private func run(_ folder: URL, _ arguments: String..., input: [String] = []) -> Commands.Outcome
  {
    Commands.run(arguments + ["--data", folder.path], input: input)
  }

  private func document(_ outcome: Commands.Outcome) throws -> [String: Any] {
    #expect(outcome.status == .success, "\(outcome)")
    return try JSONSerialization.jsonObject(with: Data(outcome.result.utf8)) as? [String: Any]
      ?? [:]
  }

  private static let container = "iCloud.com.example.notes"

  @Test func `Accounts are created, listed, disabled, enabled and removed`() async throws {
    try await withFolder { folder in
      let created = try document(
        run(
          folder, "user", "add", "ada@example.com", "--given-name", "Ada", "--container",
          Self.container, "--json",
          input: ["correct horse"]))
      let name = try #require(created["userRecordName"] as? String)
      #expect(name.count == 33 && name.hasPrefix("_"))
      #expect(
        run(folder, "user", "add", "ADA@example.com", input: ["correct horse"]).messages.contains(
          "already"))
      #expect(run(folder, "user", "add", "bob", input: ["short"]).messages.contains("shorter"))
      #expect(run(folder, "user", "add", "bob").messages.contains("no password"))
      #expect(
        run(folder, "user", "password", "ada@example.com", input: ["another one"]).status
          == .success)
      #expect(run(folder, "user", "disable", "ada@example.com").status == .success)
      let listed = try document(
        run(folder, "user", "list", "--container", Self.container, "--json"))
      let users = try #require(listed["users"] as? [[String: Any]])
      #expect(users.count == 1 && users[0]["userRecordName"] as? String == name)
      #expect(users[0]["hasProvenAddress"] as? Bool == true && users[0]["disabled"] is String)
      #expect(run(folder, "user", "enable", "ada@example.com").status == .success)
      #expect(
        run(folder, "user", "discoverable", "ada@example.com").result
          == "ada@example.com can be found.\n")
      #expect(
        run(folder, "user", "hidden", "ada@example.com").result
          == "ada@example.com cannot be found.\n")
      #expect(run(folder, "user", "list").result.hasPrefix("ada@example.com  since 20"))
      #expect(run(folder, "user", "remove", "ada@example.com").status == .success)
      let gone = run(folder, "user", "remove", "ada@example.com")
      #expect(gone.status == .failure && gone.messages.contains("ada@example.com"))
    }
  }

  @Test func `Tokens are created with their purpose, listed without secrets and revoked`()
    async throws
  {
    try await withFolder { folder in
      #expect(run(folder, "token", "create").status == .usage)
      #expect(
        run(folder, "token", "create", "--container", Self.container, "--user", "nobody").status
          == .failure)
      #expect(
        run(folder, "token", "create", "--container", Self.container, "--expires", "x").status
          == .usage)
      #expect(
        run(folder, "token", "create", "--container", Self.container, "--origin", "nonsense")
          .messages.contains(
            "is not an origin"))
      #expect(run(folder, "token", "list").result.isEmpty)
      let created = try document(
        run(
          folder, "token", "create", "--container", Self.container, "--environment", "production",
          "--origin",
          "https://a.example", "--origin", "https://b.example", "--callback",
          "https://a.example/done", "--label",
          "Notes", "--expires", "3", "--json"))
      let (token, identifier) = (
        try #require(created["apiToken"] as? String), try #require(created["identifier"] as? String)
      )
      let list = run(folder, "token", "list", "--json")
      #expect(!list.result.contains(token))
      let tokens = try #require(try document(list)["tokens"] as? [[String: Any]])
      #expect(tokens.count == 1 && tokens[0]["environment"] as? String == "production")
      #expect(tokens[0]["origins"] as? [String] == ["https://a.example", "https://b.example"])
      #expect(run(folder, "token", "revoke", identifier).status == .success)
      #expect(run(folder, "token", "list").result.contains("revoked at"))
      #expect(run(folder, "token", "revoke", "0123").status == .failure)
    }
  }

  @Test func `Schema roles are granted, listed and revoked`() async throws {
    try await withFolder { folder in
      let schema = folder.appendingPathComponent("library.ckdb")
      try Data("DEFINE SCHEMA CREATE ROLE Librarian;".utf8).write(to: schema)
      let there = ["--container", Self.container, "--data", folder.path]
      func roles(_ words: String...) -> Commands.Outcome {
        Commands.run(["user", "role"] + words + there)
      }
      _ = run(folder, "user", "add", "ada", input: ["correct horse"])
      #expect(roles("grant", "ada", "Librarian").messages.contains("no container"))
      _ = run(folder, "token", "create", "--container", Self.container)
      #expect(roles("grant", "ada", "Librarian").messages.contains("no role “Librarian”"))
      #expect(Commands.run(["schema", "import", schema.path] + there).status == .success)
      let granted = roles("grant", "ada", "Librarian")
      #expect(granted.status == .success && granted.result.hasSuffix("  Librarian\n"), "\(granted)")
      let listed = try document(roles("list", "--json"))
      #expect(listed["roles"] as? [String] == ["Librarian"])
      let users = try #require(listed["users"] as? [[String: Any]])
      #expect(
        users.count == 1 && users[0]["name"] as? String == "ada"
          && users[0]["roles"] as? [String] == ["Librarian"])
      #expect(roles("revoke", "ada", "Librarian").result.hasSuffix("has no roles\n"))
      #expect(roles("list").result.isEmpty)
      #expect(
        run(folder, "user", "role", "grant", "ada", "Librarian").messages.contains(
          "--container is missing"))
      #expect(Commands.run(["user", "role", "grnt"]).messages.contains("Did you mean \"grant\"?"))
      #expect(Commands.run(["user", "role"]).messages.contains("Which command of user role?"))
    }
  }

  @Test
  func `A server key is added by its public half and revoked, and secrets are renewed`()
    async throws
  {
    try await withFolder { folder in
      let (file, key) = (folder.appendingPathComponent("key.pem"), SignaturePrivateKey())
      try Data(key.pem.utf8).write(to: file)
      let arguments = [
        "key", "add", "--container", Self.container, "--public-key", file.path, "--data",
        folder.path,
      ]
      #expect(Commands.run(arguments).messages.contains("private key"))
      try Data(key.publicPEM.utf8).write(to: file)
      let added = try document(Commands.run(arguments + ["--json"]))
      let identifier = try #require(added["keyID"] as? String)
      #expect(identifier.count == 64)
      #expect(
        run(folder, "key", "list").result.hasPrefix("\(identifier)  \(Self.container)/development"))
      #expect(run(folder, "key", "revoke", identifier).status == .success)
      #expect(run(folder, "key", "renew").result == "The server's secrets are renewed.\n")
      #expect(run(folder, "key", "renew", "--at-once").status == .success)
      let replaced = try document(run(folder, "key", "administrator", "--json"))
      #expect((replaced["administratorKey"] as? String)?.count == 64)
      #expect(
        run(folder, "key", "add", "--container", Self.container, "--public-key", "/gone").messages
          .contains(
            "--public-key: /gone does not exist."))
    }
  }

  @Test func `The next server completes an interrupted restoration`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await startOnce(folder)
      let (backup, note) = (folder.path + "/copy", folder.path + "/restored")
      #expect(run(folder, "backup", backup).status == .success)
      // The copy was put in place, and then the process ended.
      try await SQLiteStorageEngine.restore(
        from: backup + "/records.sqlite", into: folder.path, isReplacing: true
      ).close()
      #expect(FileManager.default.fileExists(atPath: note))
      #expect(run(folder, "user", "list").messages.contains("start the server on it once"))
      #expect(try await hasHistory(folder) == false)
      try await startOnce(folder)
      #expect(!FileManager.default.fileExists(atPath: note))
      #expect(try await hasHistory(folder))
      #expect(run(folder, "user", "list").status == .success)
      // Without an interruption, there is no work left.
      let other = folder.appendingPathComponent("other")
      #expect(run(other, "restore", backup).status == .success)
      #expect(!FileManager.default.fileExists(atPath: other.path + "/restored"))
      #expect(try await hasHistory(other))
      // The process ended before the copy was in place, and the operator runs the command again.
      try Data().write(to: other.appendingPathComponent("restored"))
      #expect(run(other, "restore", backup, "--replace").status == .success)
      #expect(!FileManager.default.fileExists(atPath: other.path + "/restored"))
      #expect(try await hasHistory(other))
    }
  }

  /// Whether the store's history began with a restoration.
  private func hasHistory(_ folder: URL) async throws -> Bool {
    let engine = try SQLiteStorageEngine(folder: folder.path)
    let keys = try await engine.read { try $0.entries(in: .all).map(\.key.bytes) }
    await engine.close()
    return keys.contains { $0.starts(with: Array("_history".utf8)) }
  }

  @Test func `A backup is restored into another folder, and over a store only on request`()
    async throws
  {
    try await withFolder { folder in
      let (backup, other) = (
        folder.appendingPathComponent("copy"), folder.appendingPathComponent("other")
      )
      _ = run(folder, "user", "add", "ada", input: ["correct horse"])
      #expect(run(folder, "backup", backup.path).status == .success)
      let again = run(folder, "backup", backup.path)
      #expect(again.messages.contains("\(backup.path)/records.sqlite: there is a file already"))
      #expect(again.messages.contains("move it away") && !again.messages.contains("(exists"))
      let store = backup.appendingPathComponent("records.sqlite")
      try FileManager.default.moveItem(
        at: store, to: backup.appendingPathComponent("records.sqlite.before"))
      #expect(run(folder, "backup", backup.path, "--prune").status == .success)
      _ = run(folder, "user", "add", "bob", input: ["correct horse"])
      #expect(run(other, "restore", backup.path).status == .success)
      #expect(run(other, "user", "list").result.split(separator: "\n").count == 1)
      #expect(run(folder, "restore", backup.path).messages.contains("already has a store"))
      #expect(run(folder, "user", "list").result.split(separator: "\n").count == 2)
      #expect(run(folder, "restore", backup.path, "--replace").status == .success)
      #expect(run(folder, "user", "list").result.split(separator: "\n").count == 1)
      #expect(run(folder, "check", "--thorough").result == "\(folder.path) is sound.\n")
      let checked = try document(run(folder, "check", "--json"))
      #expect(checked["issues"] as? [String] == [])
    }
  }

  /// A kind of damage to a backup, with the message of a restoration.
  enum Damage: String, CaseIterable, CustomTestStringConvertible {
    case missingFile = "is missing"
    case shortFile = "has 2 bytes instead of 3"
    case otherContents = "do not match its checksum"
    case store = "records.sqlite"
    case missingStore = "no such file"

    var testDescription: String { rawValue }

    func happen(to file: URL, of store: URL) throws {
      switch self {
      case .missingFile: try FileManager.default.removeItem(at: file)
      case .shortFile: try Data("on".utf8).write(to: file)
      case .otherContents: try Data("xyz".utf8).write(to: file)
      case .store: try Data(repeating: 7, count: 50_000).write(to: store)
      case .missingStore: try FileManager.default.removeItem(at: store)
      }
    }
  }

  /// The first file of a record in a backup.
  private func firstFile(in backup: URL) throws -> URL {
    let names = try FileManager.default.subpathsOfDirectory(atPath: backup.path).sorted()
    return backup.appendingPathComponent(
      try #require(names.first { $0.hasPrefix("assets/contents/") && $0.contains("-") }))
  }

  @Test
  func `A restoration ignores a damaged file that only another backup in the folder needs`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let (other, data) = (
        folder.appendingPathComponent("other"), folder.appendingPathComponent("data")
      )
      let (backup, fresh) = (
        folder.appendingPathComponent("copy"), folder.appendingPathComponent("fresh")
      )
      try await startOnce(other, uploading: ["one"])
      try await startOnce(data, uploading: ["two"])
      #expect(run(other, "backup", backup.path).status == .success)
      let store = backup.appendingPathComponent("records.sqlite")
      try Damage.otherContents.happen(to: try firstFile(in: backup), of: store)
      try FileManager.default.removeItem(at: store)
      #expect(run(data, "backup", backup.path).status == .success)
      let outcome = run(fresh, "restore", backup.path)
      #expect(outcome.status == .success && outcome.messages.isEmpty, "\(outcome)")
      #expect(run(fresh, "check", "--thorough").status == .success)
    }
  }

  @Test(arguments: Damage.allCases)
  func `An incomplete backup is rejected and replaces no store`(damage: Damage) async throws {
    try await withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let (backup, fresh) = (
        folder.appendingPathComponent("copy"), folder.appendingPathComponent("fresh")
      )
      try await startOnce(data, uploading: ["one", "two"])
      #expect(run(data, "backup", backup.path).status == .success)
      let file = try firstFile(in: backup)
      try damage.happen(to: file, of: backup.appendingPathComponent("records.sqlite"))
      _ = run(data, "user", "add", "ada", input: ["correct horse"])
      // Contents that are already there are not read from the backup.
      let targets = damage == .otherContents ? [fresh] : [data, fresh]
      for target in targets {
        let outcome = run(target, "restore", backup.path, "--replace")
        #expect(
          outcome.status == .failure && outcome.messages.contains(damage.rawValue), "\(outcome)")
        let isBeforeCopying = outcome.messages.contains("Nothing was restored.")
        let isAfterCopying = outcome.messages.contains("the store was not restored.")
        #expect(isBeforeCopying == [.missingFile, .shortFile].contains(damage), "\(outcome)")
        #expect(isAfterCopying == (damage == .otherContents), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/restored"))
      }
      #expect(!FileManager.default.fileExists(atPath: fresh.path + "/records.sqlite"))
      #expect(FileManager.default.fileExists(atPath: fresh.path) == (damage == .otherContents))
      #expect(run(data, "user", "list").result.hasPrefix("ada"))
      #expect(run(data, "check", "--thorough").status == .success)
      guard [.missingFile, .shortFile, .otherContents].contains(damage) else { return }
      let accepted = run(fresh, "restore", backup.path, "--accept-lost-files")
      #expect(
        accepted.status == .failure && accepted.messages.contains(file.lastPathComponent),
        "\(accepted)")
      #expect(accepted.messages.split(separator: "\n").count == 1, "\(accepted)")
      #expect(run(fresh, "check").result.contains("\(file.lastPathComponent) is missing"))
    }
  }

  static let mistakes: [([String], String)] = [
    (["--port", "70000"], "0 to 65535"), (["--loops", "0"], "--loops"),
    (["--tls-key", "k"], "need each other"),
    (["--tls-certificate", "c", "--tls-key", "k", "--tls-development"], "omit --tls-certificate"),
    (["--tls-name", "a"], "needs --tls-development"),
    (["--address", "cloud.example"], "https://cloud.example.com"),
    (["--address", "https://cloud.example/a"], "--address"),
    (["--log", "all"], "requests, errors, nothing"),
  ]

  @Test(arguments: mistakes)
  func `An invalid option of serve is reported before anything is created`(
    options: [String], words: String
  )
    throws
  {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let outcome = Commands.run(["serve", "--data", data.path] + options)
      #expect(outcome.status == .usage && outcome.messages.contains(words), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: data.path))
    }
  }

  @Test(arguments: [["user", "list"], ["token", "list"], ["key", "list"], ["check"]])
  func `A folder without a server is reported and stays unchanged`(command: [String]) throws {
    try withTemporaryDirectory { folder in
      let outcome = Commands.run(command + ["--data", folder.path])
      #expect(outcome.status == .failure)
      #expect(outcome.messages.contains("Start a server on it first"), "\(outcome)")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(files.isEmpty)
    }
  }

  @Test func `An inaccessible store is not reported as missing`() throws {
    try withTemporaryDirectory { folder in
      let (loop, closed) = (folder.path + "/loop", folder.path + "/closed")
      try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
      try FileManager.default.createDirectory(
        atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0])
      var places = [(loop, "symbolic links")]
      // Every folder is open to root.
      if geteuid() != 0 { places.append((closed, "owns the folder")) }
      for (place, reason) in places {
        let listed = Commands.run(["user", "list", "--data", place])
        #expect(listed.status == .failure && listed.messages.contains(reason), "\(listed)")
        let restored = Commands.run(["restore", place, "--data", folder.path])
        #expect(restored.status == .failure && restored.messages.contains(reason), "\(restored)")
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed)
    }
  }
}
