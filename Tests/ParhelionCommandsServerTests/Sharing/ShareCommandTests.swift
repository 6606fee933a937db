import CloudKitClient
import CommandTestSupport
import Dispatch
import Foundation
import ParhelionCommands
import Synchronization
import TestSupport
import Testing

/// The terminal's sharing sheet, with a server in a process of its own.
@Suite("Share commands", .blockingThreads, .endsAtAll, .serialized)
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

    /// The thumbnail of a zone's share on the server.
    ///
    /// The last command has configured the container.
    func thumbnail(of zoneName: String) -> Data? {
      let shareID = CKRecord.ID(
        recordName: CKRecordNameZoneWideShare, zoneID: CKRecordZone.ID(zoneName: zoneName))
      let thumbnail = Mutex<Data?>(nil)
      let end = DispatchSemaphore(value: 0)
      CKContainer(identifier: container).privateCloudDatabase.fetch(withRecordID: shareID) {
        record, _ in
        let data = record?[CKShare.SystemFieldKey.thumbnailImageData] as Data?
        thumbnail.withLock { $0 = data }
        end.signal()
      }
      #expect(end.waitPatiently())
      return thumbnail.withLock { $0 }
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
      #expect(bob.run("list").result.contains("Alps  (by ada, zone Trips, 1 person)"))
      #expect(ada.run("show", "Trips").result.contains("  zone      Trips\n"))
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
      let ended = ada.run("stop", "Trips")
      #expect(ended.status == .failure, "\(ended)")
      #expect(ended.messages == "parhelion: The zone “Trips” is not shared.\n")
      let lost = bob.run("accept", link)
      #expect(lost.status == .failure, "\(lost)")
      #expect(lost.messages.contains("There is no share with this link"), "\(lost)")
    }
  }

  @Test func `A zone that is shared already stays as it is`() throws {
    try run { ada, bob in
      let link = try #require(
        try ada.document("create", "Trips", "--title", "Alps")["link"] as? String)
      _ = try ada.document("add", "Trips", "bob@development.invalid")
      #expect(bob.run("accept", link).status == .success)
      let before = ada.run("show", "Trips", "--json")
      let again = ada.run("create", "Trips", "--title", "Other")
      #expect(again.status == .failure && again.result.isEmpty, "\(again)")
      let reason = "parhelion: The zone “Trips” is already shared: \(link)\n"
      #expect(again.messages == reason)
      #expect(before.status == .success)
      #expect(ada.run("show", "Trips", "--json").result == before.result)
      #expect(bob.run("list").result.contains("Alps"))
    }
  }

  @Test func `A thumbnail is saved with the share`() throws {
    try run { ada, _ in
      try withTemporaryDirectory { folder in
        let (image, data) = (folder.appendingPathComponent("image"), Data("GIF89a".utf8))
        try data.write(to: image)
        #expect(ada.run("create", "Trips", "--thumbnail", image.path).status == .success)
        #expect(ada.thumbnail(of: "Trips") == data)
      }
    }
  }

  @Test func `A thumbnail that does not exist is reported before the zone is created`() throws {
    try run { ada, _ in
      let refused = ada.run("create", "Trips", "--thumbnail", "/nonexistent/image.png")
      #expect(refused.status == .failure && refused.messages.contains("does not exist"))
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

  @Test func `A person with access cannot request it`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      _ = try ada.document("requests", "Trips", "--allow")
      func refusal(_ terminal: Terminal) -> String {
        let outcome = terminal.run("request", link)
        #expect(outcome.status == .failure && outcome.result.isEmpty, "\(outcome)")
        return outcome.messages
      }
      #expect(refusal(ada).contains("You own this share."))
      _ = try ada.document("add", "Trips", "bob@development.invalid")
      #expect(refusal(bob).contains("You are invited to this share already."))
      #expect(bob.run("accept", link).status == .success)
      #expect(refusal(bob).contains("You take part in this share already."))
      #expect(bob.run("stop", link).status == .success)
      _ = try ada.document("public", "Trips", "read-only")
      #expect(refusal(bob).contains("open to everyone with the link"))
      let shown = try ada.document("show", "Trips")
      #expect((shown["requesters"] as? [Any])?.isEmpty == true)
    }
  }

  @Test func `The owner of a share cannot be added to it`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      _ = try ada.document("add", "Trips", "bob@development.invalid", "--administrator")
      #expect(bob.run("accept", link).status == .success)
      let before = ada.run("show", "Trips", "--json")
      let refused = [
        ada.run("add", "Trips", "ada@development.invalid"),
        ada.run("add", link, "ADA@development.invalid", "--permission", "read-write"),
        bob.run("add", link, "ada@development.invalid"),
      ]
      for outcome in refused {
        #expect(outcome.status == .failure && outcome.result.isEmpty, "\(outcome)")
        #expect(outcome.messages.contains(" owns this share already"), "\(outcome)")
      }
      #expect(before.status == .success)
      #expect(ada.run("show", "Trips", "--json").result == before.result)
    }
  }

  @Test func `Adding a participant again fails, unless an option changes the access`() throws {
    try run { ada, bob in
      let person = "bob@development.invalid"
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      _ = try ada.document(
        "add", "Trips", person, "--permission", "read-write", "--administrator")
      let invited = ada.run("add", "Trips", person)
      #expect(invited.status == .failure && invited.result.isEmpty, "\(invited)")
      #expect(
        invited.messages.contains(
          "\(person) is in this share already (administrator, invited, may read and write)."),
        "\(invited)")
      let changed = try ada.document("add", "Trips", person, "--permission", "read-only")
      #expect(people(changed) == ["\(person) administrator readOnly pending"])
      #expect(bob.run("accept", link).status == .success)
      let joined = ada.run("add", "Trips", person, "--permission", "read-only")
      #expect(joined.status == .failure && joined.result.isEmpty, "\(joined)")
      #expect(joined.messages.contains("(administrator, takes part, may read)."), "\(joined)")
      _ = try ada.document("permission", "Trips", person, "read-write", "--no-administrator")
      let promoted = try ada.document("add", "Trips", person, "--administrator")
      #expect(people(promoted) == ["\(person) administrator readWrite accepted"])
    }
  }

  @Test func `A person who joined by a one-time link is recognised by the address`() throws {
    try run { ada, bob in
      _ = try ada.document("create", "Trips")
      let own = ada.run("link", "Trips", "--one-time", "--permission", "read-write").result
        .filter { !$0.isNewline }
      #expect(bob.run("accept", own).status == .success)
      let again = ada.run("add", "Trips", "bob@development.invalid")
      #expect(again.status == .failure && again.result.isEmpty, "\(again)")
      #expect(again.messages.contains("(takes part, may read and write)."), "\(again)")
    }
  }

  @Test func `A person who joined by the public link cannot be invited`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      _ = try ada.document("public", "Trips", "read-only")
      #expect(bob.run("accept", link).status == .success)
      let added = ada.run("add", "Trips", "bob@development.invalid")
      #expect(added.status == .failure && added.result.isEmpty, "\(added)")
      #expect(added.messages.contains("Set the public permission to none"), "\(added)")
    }
  }

  @Test func `A person who joined by the public link has no own permission`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      _ = try ada.document("public", "Trips", "read-only")
      #expect(bob.run("accept", link).status == .success)
      let shown = try ada.document("show", "Trips")
      let participants = try #require(shown["participants"] as? [[String: Any]])
      let person = try #require(participants.last?["identifier"] as? String)
      let refused = [
        ada.run("permission", "Trips", person, "read-write"),
        ada.run("permission", "Trips", person, "read-only", "--administrator"),
      ]
      for outcome in refused {
        #expect(outcome.status == .failure && outcome.result.isEmpty, "\(outcome)")
        #expect(outcome.messages.contains("“\(person)” joined by the link."), "\(outcome)")
      }
    }
  }

  @Test func `A person who does not take part in a share cannot leave it`() throws {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      func refusal() -> String {
        let outcome = bob.run("stop", link)
        #expect(outcome.status == .failure && outcome.result.isEmpty, "\(outcome)")
        return outcome.messages
      }
      #expect(refusal().contains("There is no share with this link, or you are not invited"))
      _ = try ada.document("requests", "Trips", "--allow")
      #expect(refusal().contains("You do not take part in this share."))
      #expect(bob.run("request", link).status == .success)
      #expect(refusal().contains("You do not take part in this share."))
      _ = try ada.document("public", "Trips", "read-only")
      #expect(refusal().contains("You do not take part in this share."))
      #expect(bob.run("accept", link).status == .success)
      #expect(bob.run("stop", link).status == .success)
      #expect(refusal().contains("You do not take part in this share."))
      #expect(people(try ada.document("show", "Trips")).isEmpty)
      #expect(ada.run("stop", link).result.contains("Your records stay"))
    }
  }

  @Test func `A person who has not accepted an invitation cannot leave, and can still accept`()
    throws
  {
    try run { ada, bob in
      let link = try #require(try ada.document("create", "Trips")["link"] as? String)
      let own = ada.run("link", "Trips", "--one-time").result.filter { !$0.isNewline }
      let before = ada.run("show", "Trips", "--json")
      let unused = bob.run("stop", own)
      #expect(unused.status == .failure && unused.result.isEmpty, "\(unused)")
      #expect(unused.messages.contains("You have not accepted the invitation"), "\(unused)")
      #expect(before.status == .success)
      #expect(ada.run("show", "Trips", "--json").result == before.result)
      let added = try ada.document("add", "Trips", "bob@development.invalid")
      let refused = bob.run("stop", link)
      #expect(refused.status == .failure && refused.result.isEmpty, "\(refused)")
      #expect(refused.messages.contains("ask the owner to withdraw it"), "\(refused)")
      #expect(people(try ada.document("show", "Trips")) == people(added))
      #expect(bob.run("accept", link).status == .success)
      #expect(bob.run("stop", link).status == .success)
    }
  }

  @Test func `Wrong calls are rejected`() throws {
    let outcomes = [
      Commands.run(["share", "show"]), Commands.run(["share", "show", "x", "--user", "ada"]),
      Commands.run(["share", "show", "x", "--server", "http://127.0.0.1:1"]),
      Commands.run(["share", "open", "https://example.com"]),
      Commands.run(["share", "register", "--command", "relative"]),
    ]
    #expect(
      outcomes.map(\.status) == [.usage, .usage, .usage, .failure, .usage], "\(outcomes)")
  }

  /// Runs the tool in a separate process.
  private func tool(_ arguments: [String], _ environment: [String: String]) throws
    -> (status: Int32, text: String)
  {
    let process = Process()
    let output = Pipe()
    process.executableURL = ServerProcess.executable
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func `Options take the place of variables`() throws {
    try run { ada, _ in
      _ = try ada.document("create", "Trips", "--title", "Alps")
      let server = "http://127.0.0.1:\(ada.server.port)"
      let cases: [(variables: [String: String], options: [String], isShared: Bool)] = [
        ([:], [], true), ([:], ["--user", "bob"], false),
        ([:], ["--container", "iCloud.com.example.other"], false),
        (
          ["PARHELION_CONTAINER": "iCloud.com.example.other"], ["--container", ada.container], true
        ),
        (["PARHELION_CONTAINER": ""], ["--container", ada.container], true),
        (["PARHELION_SERVER": "http://127.0.0.1:1"], ["--server", server], true),
        (["PARHELION_DEVELOPMENT_USER": ""], ["--user", "ada"], true),
        (
          [
            "PARHELION_DEVELOPMENT_USER": "", "PARHELION_ENVIRONMENT": "production",
            "PARHELION_API_TOKEN": "token", "PARHELION_WEB_AUTH_TOKEN": "token",
          ], ["--user", "ada"], true
        ),
      ]
      try withTemporaryDirectory { home in
        let usual = [
          "HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_DATA_HOME": home.path,
          "PARHELION_CONTAINER": ada.container, "PARHELION_SERVER": server,
          "PARHELION_DEVELOPMENT_USER": "ada",
        ]
        for (variables, options, isShared) in cases {
          let outcome = try tool(["share", "list"] + options, usual.merging(variables) { $1 })
          let start = isShared ? "Alps  (yours, zone Trips, 0 people)" : "There are no shares."
          #expect(
            outcome.status == 0 && outcome.text.hasPrefix(start),
            "\(variables) \(options): \(outcome)")
        }
      }
    }
  }

  @Test func `Without variables, the configuration file names the container`() throws {
    try run { ada, _ in
      _ = try ada.document("create", "Trips", "--title", "Alps")
      try withTemporaryDirectory { home in
        let folder = home.appendingPathComponent("parhelion")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let entries = ["iCloud.com.example.other", ada.container].map { container in
          [
            "container": container, "server": "http://127.0.0.1:\(ada.server.port)",
            "developmentUser": "ada",
          ]
        }
        let file = folder.appendingPathComponent("cloud.json")
        try JSONEncoder().encode(["containers": entries]).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let environment = [
          "HOME": home.path, "XDG_CONFIG_HOME": home.path, "XDG_DATA_HOME": home.path,
        ]
        let usual = try tool(["share", "list"], environment)
        #expect(usual.status == 0 && usual.text == "There are no shares.\n", "\(usual)")
        let named = try tool(["share", "list", "--container", ada.container], environment)
        #expect(named.status == 0 && named.text.hasPrefix("Alps"), "\(named)")
      }
    }
  }

  /// Runs a test with the home of a user, and with the command `share register` of this user.
  private func withHome(_ body: (URL, (String...) throws -> String) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("config"), withIntermediateDirectories: true)
      try body(folder) { (arguments: String...) in
        let outcome = try tool(
          ["share", "register"] + arguments,
          [
            "XDG_DATA_HOME": "\(folder.path)/data", "XDG_CONFIG_HOME": "\(folder.path)/config",
            "HOME": folder.path,
          ])
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.text
      }
    }
  }

  @Test func `The scheme's entry is written and removed, and other entries stay`() throws {
    try withHome { folder, tool in
      let list = folder.appendingPathComponent("config/mimeapps.list")
      let former = "[Default Applications]\ntext/html=firefox.desktop\n"
      try former.write(to: list, atomically: true, encoding: .utf8)
      let program = folder.appendingPathComponent("a b/\"50%\" app")
      try FileManager.default.createDirectory(
        at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
      #expect(try tool("--command", program.path).contains("handles parhelion-share"))
      let path = "\(folder.path)/data/applications/parhelion-share.desktop"
      let entry = try String(contentsOfFile: path, encoding: .utf8)
      #expect(entry.contains("MimeType=x-scheme-handler/parhelion-share;"))
      #expect(entry.contains(#"Exec="\#(folder.path)/a b/\\"50%%\\" app" %u"#), "\(entry)")
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
      #expect(try tool("--remove") == "\(path) is removed.\n")
      #expect(try tool("--remove") == "\(path) does not exist.\n")
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

  @Test func `Handlers of other programs follow ours, and stay`() throws {
    try withHome { folder, tool in
      let list = folder.appendingPathComponent("config/mimeapps.list")
      let key = "[Default Applications]\nx-scheme-handler/parhelion-share="
      let end = "\ntext/html=firefox.desktop\n"
      let former = "\(key)one.desktop;two.desktop\(end)"
      try former.write(to: list, atomically: true, encoding: .utf8)
      for _ in 0..<2 {
        _ = try tool()
        let text = try String(contentsOf: list, encoding: .utf8)
        #expect(text == "\(key)parhelion-share.desktop;one.desktop;two.desktop\(end)")
      }
      for _ in 0..<2 {
        _ = try tool("--remove")
        #expect(try String(contentsOf: list, encoding: .utf8) == former)
      }
    }
  }
}

@Suite("Options for mail", .blockingThreads, .endsAtAll)
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
      (["--smtp", "smtp://127.0.0.1:25"] + address, "--smtp-from must be an address"),
      (["--smtp", "smtps://a%40example.com@mail.example.com"] + address, "needs a password"),
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
      #expect(outcome.status == .failure && outcome.messages.contains("chmod 400"), "\(outcome)")
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
      let words = getegid() == 0 ? "has no password" : "chmod 400"
      #expect(outcome.status == .failure && outcome.messages.contains(words), "\(outcome)")
    }
  }
}
