import CommandTestSupport
import Foundation
import ParhelionCommands
import TestSupport
import Testing

/// The terminal's sharing sheet, with a server in a process of its own.
@Suite("Share commands", .blockingThreads, .serialized)
struct ShareCommandTests {
  /// A user's terminal.
  private struct Terminal {
    let server: ServerProcess
    let container: String
    let user: String

    func run(_ arguments: String...) -> Commands.Outcome {
      Commands.run(
        ["share"] + arguments + [
          "--container", container, "--user", user, "--server",
          "http://127.0.0.1:\(server.port)",
        ])
    }

    /// The document that a command prints.
    func document(_ arguments: String...) throws -> [String: Any] {
      let outcome = Commands.run(
        ["share"] + arguments + [
          "--container", container, "--user", user, "--server",
          "http://127.0.0.1:\(server.port)", "--json",
        ])
      #expect(outcome.status == .success, "\(outcome)")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(outcome.result.utf8)) as? [String: Any])
    }
  }

  /// Runs a test with the terminals of Ada and Bob.
  ///
  /// Each test has its own container.
  private func run(_ body: (Terminal, Terminal) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder)
      let container = "iCloud.com.example.t\(UUID().uuidString.prefix(8).lowercased())"
      try body(
        Terminal(server: server, container: container, user: "ada"),
        Terminal(server: server, container: container, user: "bob"))
      _ = server.end(by: SIGTERM)
    }
  }

  private func people(_ document: [String: Any]) -> [String] {
    (document["participants"] as? [[String: Any]] ?? []).dropFirst().map { person in
      ["address", "role", "permission", "status"].map { person[$0] as? String ?? "-" }
        .joined(separator: " ")
    }
  }

  @Test func `A zone is shared, people are added, changed and removed, and sharing stops`() throws {
    try run { ada, bob in
      let made = try ada.document("create", "Trips", "--title", "Alps")
      let link = try #require(made["link"] as? String)
      #expect(made["title"] as? String == "Alps" && made["role"] as? String == "owner")
      let added = try ada.document(
        "add", "Trips", "bob@development.invalid", "--permission", "read-write")
      #expect(people(added) == ["bob@development.invalid privateUser readWrite pending"])
      let shown = bob.run("accept", link)
      #expect(shown.status == .success && shown.result.hasPrefix("Alps\n"), "\(shown)")
      #expect(bob.run("list").result.contains("Alps  (by"))
      #expect(bob.run("add", link, "eve@example.com").status == .failure)
      let changed = try ada.document(
        "permission", link, "bob@development.invalid", "read-only", "--administrator")
      #expect(people(changed) == ["bob@development.invalid administrator readOnly accepted"])
      #expect(bob.run("add", link, "eve@example.com").status == .success)
      let removed = try ada.document("remove", "Trips", "eve@example.com")
      #expect(people(removed).count == 1)
      #expect(ada.run("remove", "Trips", "eve@example.com").messages.contains("no participant"))
      #expect(bob.run("stop", link).result.contains("do not take part"))
      #expect(bob.run("list").result == "There are no shares.\n")
      #expect(ada.run("stop", "Trips").result.contains("Your records stay"))
      #expect(ada.run("show", "Trips").status == .failure)
    }
  }

  @Test func `A thumbnail that cannot be read is reported before the zone is created`() throws {
    try run { ada, _ in
      let refused = ada.run("create", "Trips", "--thumbnail", "/nonexistent/image.png")
      #expect(refused.status == .failure && refused.messages.contains("cannot be read"))
      let missing = ada.run("show", "Trips")
      #expect(missing.messages.contains("There is no zone “Trips”"), "\(missing)")
    }
  }

  @Test func `A title in the list cannot control the terminal`() throws {
    try run { ada, _ in
      _ = try ada.document("create", "Trips", "--title", "Al\u{1B}[31mps")
      #expect(ada.run("list").result.contains("Al\u{FFFD}[31mps  ("))
    }
  }

  @Test func `A share is opened and closed, and links are made for one person`() throws {
    try run { ada, bob in
      _ = try ada.document("create", "Trips")
      let open = try ada.document("public", "Trips", "read-only")
      #expect(open["publicPermission"] as? String == "readOnly")
      let link = ada.run("link", "Trips").result.filter { !$0.isNewline }
      #expect(link == open["link"] as? String)
      #expect(bob.run("accept", link).result.contains("everyone with the link may read"))
      _ = try ada.document("public", "Trips", "none")
      #expect(bob.run("accept", link).messages.contains("There is no share"))
      let own = ada.run("link", "Trips", "--one-time", "--permission", "read-write").result
        .filter { !$0.isNewline }
      #expect(own != link && ada.run("show", "Trips").result.contains(own))
      #expect(bob.run("accept", own).status == .success)
      #expect(!ada.run("show", "Trips").result.contains(own))
      let copied = ada.run("link", "Trips", "--copy")
      #expect(copied.messages.contains("--copy needs a terminal"))
    }
  }

  @Test func `Access requests are allowed and answered`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      #expect(bob.run("request", link).messages.contains("There is no share"))
      _ = try ada.document("requests", "Trips", "--allow")
      #expect(bob.run("request", link).result == "The request was sent.\n")
      let asked = try ada.document("show", "Trips")
      let requesters = try #require(asked["requesters"] as? [[String: Any]])
      let name = try #require(
        requesters.first?["address"] as? String ?? requesters.first?["name"] as? String)
      _ = try ada.document("requests", "Trips", "--deny", name)
      #expect(bob.run("request", link).status == .success)
      _ = try ada.document("requests", "Trips", "--block", name)
      #expect(bob.run("request", link).status == .failure)
      _ = try ada.document("requests", "Trips", "--unblock", name)
      #expect(bob.run("request", link).status == .success)
      let approved = try ada.document(
        "requests", "Trips", "--approve", name, "--permission", "read-write")
      #expect(people(approved).first?.hasSuffix("privateUser readWrite pending") == true)
      #expect(bob.run("accept", link).status == .success)
    }
  }

  @Test func `Wrong calls are explained`() throws {
    let outcomes = [
      Commands.run(["share", "show"]), Commands.run(["share", "show", "x", "--user", "ada"]),
      Commands.run(["share", "show", "x", "--server", "http://127.0.0.1:1"]),
      Commands.run(["share", "open", "https://example.com"]),
      Commands.run(["share", "register", "--command", "relative"]),
    ]
    #expect(
      outcomes.map(\.status) == [.usage, .usage, .usage, .failure, .usage], "\(outcomes)")
  }

  /// Runs a test with the home of a user, and with the command `share register` of this user.
  private func withHome(_ body: (URL, (String...) throws -> String) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("config"), withIntermediateDirectories: true)
      try body(folder) { (arguments: String...) in
        let process = Process()
        let output = Pipe()
        process.executableURL = ServerProcess.executable
        process.arguments = ["share", "register"] + arguments
        process.environment = [
          "XDG_DATA_HOME": "\(folder.path)/data", "XDG_CONFIG_HOME": "\(folder.path)/config",
          "HOME": folder.path,
        ]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  @Test func `The scheme's entry is written and removed, and other entries stay`() throws {
    try withHome { folder, tool in
      let list = folder.appendingPathComponent("config/mimeapps.list")
      let former = "[Default Applications]\ntext/html=firefox.desktop\n"
      try former.write(to: list, atomically: true, encoding: .utf8)
      #expect(try tool("--command", "/opt/a b/\"50%\" app").contains("handles parhelion-share"))
      let path = "\(folder.path)/data/applications/parhelion-share.desktop"
      let entry = try String(contentsOfFile: path, encoding: .utf8)
      #expect(entry.contains("MimeType=x-scheme-handler/parhelion-share;"))
      #expect(entry.contains(#"Exec="/opt/a b/\\"50%%\\" app" %u"#), "\(entry)")
      let text = try String(contentsOf: list, encoding: .utf8)
      #expect(
        text
          == """
          [Default Applications]
          x-scheme-handler/parhelion-share=parhelion-share.desktop
          text/html=firefox.desktop

          """
      )
      _ = try tool()
      #expect(
        try String(contentsOfFile: path, encoding: .utf8).contains("parhelion\" share open %u"))
      _ = try tool("--remove")
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try String(contentsOf: list, encoding: .utf8) == former)
    }
  }

  @Test func `Registering a scheme keeps a list's symbolic link and its other bytes`() throws {
    try withHome { folder, tool in
      let link = folder.appendingPathComponent("config/mimeapps.list")
      let list = folder.appendingPathComponent("associations")
      let key = "x-scheme-handler/parhelion-share="
      let head = Data("[Added Associations]\n\(key)other.desktop\n[Default Applications]\n".utf8)
      let rest = Data(Array("text/html=caf".utf8) + [0xE9, 0x0A])
      try (head + rest).write(to: list)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: list)
      _ = try tool()
      let entry = Data("\(key)parhelion-share.desktop\n".utf8)
      #expect(try Data(contentsOf: list) == head + entry + rest)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == list.path)
      _ = try tool("--remove")
      #expect(try Data(contentsOf: list) == head + rest)
    }
  }
}

@Suite("Options for mail", .blockingThreads)
struct MailOptionTests {
  private func serve(_ options: String...) -> Commands.Outcome {
    Commands.run(["serve", "--data", "/nonexistent/parhelion", "--port", "0"] + options)
  }

  @Test func `Incomplete options for mail are rejected`() {
    let address = ["--address", "https://cloud.example.com"]
    let cases: [(options: [String], words: String)] = [
      (["--smtp-from", "a@example.com"], "--smtp-from needs --smtp"),
      (["--smtp", "mail.example.com"], "looks like smtps://"),
      (["--smtp", "smtps://a:secret@mail.example.com"] + address, "without a password"),
      (["--smtp", "smtp://127.0.0.1:25"], "needs --address"),
      (["--smtp", "smtp://127.0.0.1:25"] + address, "--smtp-from is to be an address"),
      (["--smtp", "smtps://a%40example.com@mail.example.com"] + address, "needs a password"),
      (
        ["--smtp", "smtps://a%40b.c@mail.example.com", "--smtp-password", "/nonexistent/x"]
          + address,
        "cannot be read"
      ),
    ]
    for (options, words) in cases {
      let outcome = Commands.run(["serve", "--data", "/nonexistent/p", "--port", "0"] + options)
      #expect(outcome.status == .usage && outcome.messages.contains(words), "\(outcome)")
    }
  }

  @Test func `A password that others can read is rejected`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("password")
      try "secret\n".write(to: file, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: file.path)
      let outcome = serve(
        "--smtp", "smtps://a%40b.c@mail.example.com", "--address", "https://cloud.example.com",
        "--smtp-password", file.path)
      #expect(outcome.status == .usage && outcome.messages.contains("chmod 600"), "\(outcome)")
    }
  }

  @Test func `Root's group may read a password, as with systemd's credentials`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("password")
      try Data().write(to: file)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o440], ofItemAtPath: file.path)
      let outcome = serve(
        "--smtp", "smtps://a%40b.c@mail.example.com", "--address", "https://cloud.example.com",
        "--smtp-password", file.path)
      let words = getegid() == 0 ? "holds no password" : "chmod 600"
      #expect(outcome.status == .usage && outcome.messages.contains(words), "\(outcome)")
    }
  }
}
