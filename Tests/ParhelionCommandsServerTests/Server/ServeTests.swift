import CommandTestSupport
import Foundation
import ParhelionCommands
import TestSupport
import Testing

@Suite("The server process", .blockingThreads, .endsAtAll, .serialized)
struct ServeTests {
  private struct Credentials: Decodable {
    let apiToken: String
    let webAuthToken: String
  }

  private static let developmentNotice =
    "Programs on this machine may name any user in development environments, without a password; --no-development-users disables that."

  /// Creates an account and tokens while the server runs.
  private func credentials(_ data: URL) throws -> Credentials {
    let user = Commands.run(
      ["user", "add", "ada", "--data", data.path], input: ["correct horse battery"])
    #expect(user.status == .success, "\(user)")
    let token = Commands.run(
      [
        "token", "create", "--container", "iCloud.com.example.notes", "--user", "ada", "--json",
        "--data", data.path,
      ])
    #expect(token.status == .success, "\(token)")
    return try JSONDecoder().decode(Credentials.self, from: Data(token.result.utf8))
  }

  private func ask(
    _ server: ServerProcess, _ operation: String, _ body: String, _ credentials: Credentials
  ) throws -> (status: Int, text: String) {
    let client = try RawClient(port: server.port)
    let target =
      "/database/1/iCloud.com.example.notes/development/private/\(operation)?ckAPIToken=\(credentials.apiToken)&ckWebAuthToken=\(credentials.webAuthToken)"
    try client.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    let response = try client.response()
    return (response.status, response.text)
  }

  private func save(_ name: String) -> String {
    #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{}}}]}"#
  }

  @Test
  func
    `Acknowledged records survive a kill, and the server stops on request`()
    throws
  {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("a/b")
      let first = try ServerProcess(data: data)
      #expect((first.announcement["administratorKey"] as? String)?.count == 64)
      #expect(first.announcement["certificateAuthority"] is NSNull)
      let credentials = try credentials(data)
      for name in ["x", "y", "z"] {
        let saved = try ask(first, "records/modify", save(name), credentials)
        #expect(saved.status == 200 && saved.text.contains("recordChangeTag"), "\(saved)")
      }
      let death = first.end(by: SIGKILL)
      #expect((death.status, death.isSignal) == (SIGKILL, true))

      let second = try ServerProcess(data: data)
      #expect(second.announcement["administratorKey"] == nil)
      let body = #"{"records":[{"recordName":"x"},{"recordName":"y"},{"recordName":"z"}]}"#
      let found = try ask(second, "records/lookup", body, credentials)
      #expect(found.text.components(separatedBy: "recordChangeTag").count == 4, "\(found)")
      let end = second.end(by: SIGTERM)
      #expect((end.status, end.isSignal) == (0, false))
      // The log of the killed server may lack its last lines, but this server wrote all of its
      // lines.
      let lines = end.messages.split(separator: "\n")
      let members = try lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      let stop = try #require(members.last ?? nil)
      #expect(
        stop["notice"] as? String == "Stopping because of SIGTERM. A second one stops immediately.",
        "\(end.messages)")
      #expect(stop["time"] is NSNumber && stop.count == 2)
      #expect(members.first??["notice"] as? String == Self.developmentNotice)
      #expect(
        lines.count { $0.contains(#""status":200"#) } == 1 && lines.count == 3, "\(end.messages)")
      #expect(Commands.run(["check", "--data", data.path]).status == .success)
      for secret in [credentials.apiToken, credentials.webAuthToken] {
        #expect(!death.messages.contains(secret) && !end.messages.contains(secret))
      }
    }
  }

  @Test func `An administrator can request a backup and a check`() throws {
    try withTemporaryDirectory { folder in
      let (data, backups) = (
        folder.appendingPathComponent("data"), folder.appendingPathComponent("backups")
      )
      let server = try ServerProcess(data: data, "--backups", backups.path)
      let key = try #require(server.announcement["administratorKey"] as? String)
      let credentials = try credentials(data)
      _ = try ask(server, "records/modify", save("x"), credentials)
      func administer(_ operation: String, _ body: String) throws -> (status: Int, text: String) {
        let client = try RawClient(port: server.port)
        try client.send(
          "POST /admin/1/\(operation) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let response = try client.response()
        return (response.status, response.text)
      }
      let created = try administer("backups/create", #"{"name":"first"}"#)
      #expect(created.status == 200 && created.text.contains(#""issues":[]"#), "\(created)")
      #expect(try administer("backups/create", #"{"name":"first"}"#).text.contains("EXISTS"))
      for name in ["", "..", ".hidden", "a/b", "../a", "/etc", String(repeating: "a", count: 101)] {
        let refused = try administer("backups/create", #"{"name":"\#(name)"}"#)
        #expect(refused.status == 400, "\(name): \(refused)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: backups.path) == ["first"])
      for thorough in [true, false] {
        let checked = try administer("storage/check", #"{"thorough":\#(thorough)}"#)
        #expect((checked.status, checked.text) == (200, #"{"issues":[]}"#))
      }
      #expect(server.end(by: SIGTERM).status == 0)
      let copy = folder.appendingPathComponent("copy").path
      #expect(
        Commands.run(["restore", backups.path + "/first", "--data", copy]).status == .success)
      let used = Commands.run(["usage", "--container", "iCloud.com.example.notes", "--data", copy])
      #expect(used.result.contains("  1 record  "), "\(used)")
      let plain = try ServerProcess(data: folder.appendingPathComponent("plain"))
      let other = try #require(plain.announcement["administratorKey"] as? String)
      let client = try RawClient(port: plain.port)
      try client.send(
        "POST /admin/1/backups/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(other)\r\nContent-Length: 12\r\n\r\n{\"name\":\"a\"}"
      )
      #expect(try client.response().text.contains("--backups"))
      #expect(plain.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `Sessions are listed and ended while the server runs`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder)
      let credentials = try credentials(folder)
      let listed = Commands.run(["user", "sessions", "ada", "--data", folder.path])
      let session = try #require(listed.result.split(separator: " ").first)
      #expect(
        listed.result.contains("iCloud.com.example.notes/development") && session.count == 32,
        "\(listed)")
      #expect(
        Commands.run(["user", "sign-out", "ada", "nothing", "--data", folder.path]).status
          == .failure)
      #expect(
        Commands.run(["user", "sign-out", "ada", String(session), "--data", folder.path]).status
          == .success)
      #expect(Commands.run(["user", "sessions", "ada", "--data", folder.path]).result.isEmpty)
      #expect(try ask(server, "zones/list", "{}", credentials).status == 401)
      #expect(
        Commands.run(["user", "sign-out", "ada", "--data", folder.path]).result
          == "ada is signed out everywhere.\n")
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `A second server on the folder names the first`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder)
      let second = Commands.run(["serve", "--data", folder.path, "--port", "0"])
      #expect(second.status == .failure)
      #expect(second.messages.contains("another server (process "), "\(second)")
      let restore = Commands.run(["restore", folder.path, "--data", folder.path, "--replace"])
      #expect(restore.messages.contains("another server uses"), "\(restore)")
      #expect(server.end(by: SIGINT).status == 0)
    }
  }

  @Test func `All output other than responses is lines of JSON`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(
        data: folder.appendingPathComponent("data"), "--host", "0.0.0.0")
      let client = try RawClient(port: server.port)
      try client.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().status == 200)
      let end = server.end(by: SIGINT)
      let lines = end.messages.split(separator: "\n")
      let members = try lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
      #expect(lines.count == 5 && members.allSatisfy { $0["time"] is NSNumber }, "\(end.messages)")
      let notices = members.compactMap { $0["notice"] as? String }
      #expect(notices.first?.hasPrefix("Others on the network can read passwords") == true)
      #expect(
        notices.contains { $0.contains("parhelion user invite") }
          && notices.contains { $0.contains("5368709120 bytes") })
      #expect(notices.last?.hasPrefix("Stopping because of SIGINT.") == true && notices.count == 4)
    }
  }

  @Test(
    arguments: [
      (["--host", "0.0.0.0"], true), (["--behind-proxy"], true),
      ([], false),
      (["--behind-proxy", "--open-sign-up", "--limit", "private-bytes=0"], false),
    ] as [([String], Bool)])
  func
    `A public server requires invitation codes and has a quota by default`(
      options: [String], isGuarded: Bool
    ) throws
  {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let server = try ServerProcess(data: data, options: options)
      let credentials = try credentials(data)
      let client = try RawClient(port: server.port)
      try client.send("GET /sign-up?ckAPIToken=\(credentials.apiToken) HTTP/1.1\r\nHost: a\r\n\r\n")
      let page = try client.response()
      #expect(
        page.status == 200 && page.text.contains(#"name="invitation""#) == isGuarded, "\(page.text)"
      )
      let end = server.end(by: SIGTERM)
      #expect(end.messages.contains("--limit private-bytes") == isGuarded, "\(end.messages)")
      let invited = Commands.run(["user", "invite", "--expires", "3", "--data", data.path])
      #expect(
        invited.result.contains(#/invitation code: (?:[0-9A-Z]{5}-){3}[0-9A-Z]{5}\nvalid until /#),
        "\(invited)")
    }
  }

  @Test func `Sign-up is open or closed, not both`() {
    let outcome = Commands.run(["serve", "--open-sign-up", "--no-sign-up"])
    #expect(
      outcome.status == .usage && outcome.messages.contains("exclude each other"), "\(outcome)")
  }

  @Test
  func `A folder that others can read is closed at start unless it holds something else`()
    throws
  {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      func mode() throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: data.path)[.posixPermissions] as? NSNumber)?
          .intValue
      }
      #expect(try ServerProcess(data: data).end(by: SIGTERM).status == 0)
      #expect(try mode() == 0o700)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data.path)
      let end = try ServerProcess(data: data).end(by: SIGTERM)
      #expect(end.messages.contains("was accessible to other users"), "\(end)")
      #expect(try mode() == 0o700)
      let other = folder.appendingPathComponent("other")
      try FileManager.default.createDirectory(
        at: other, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      try Data().write(to: other.appendingPathComponent("letter"))
      let refused = Commands.run(["serve", "--data", other.path, "--port", "0"])
      #expect(
        refused.status == .failure && refused.messages.contains("contains other files"),
        "\(refused)")
    }
  }

  @Test func `Each device of a user gets its own web token for one API token`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder.appendingPathComponent("data"))
      let data = folder.appendingPathComponent("data")
      let first = try credentials(data)
      let created = Commands.run(
        [
          "user", "token", "ada", "--container", "iCloud.com.example.notes", "--json", "--data",
          data.path,
        ])
      let token = try JSONDecoder().decode([String: String].self, from: Data(created.result.utf8))[
        "webAuthToken"]
      let second = Credentials(
        apiToken: first.apiToken, webAuthToken: try #require(token, "\(created)"))
      #expect(second.webAuthToken != first.webAuthToken)
      #expect(try ask(server, "records/modify", save("x"), first).status == 200)
      let found = try ask(server, "records/lookup", #"{"records":[{"recordName":"x"}]}"#, second)
      #expect(found.text.contains("recordChangeTag"), "\(found)")
      let missing = Commands.run([
        "user", "token", "ada", "--container", "iCloud.none", "--data", data.path,
      ])
      #expect(missing.status == .failure, "\(missing)")
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }

  /// Sends a request as a development user.
  private func ask(_ server: ServerProcess, as user: String, _ operation: String, _ body: String)
    throws -> (
      status: Int, text: String
    )
  {
    let client = try RawClient(port: server.port)
    try client.send(
      "POST /database/1/iCloud.com.example.new/development/private/\(operation) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX-Parhelion-Development-User: \(user)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    let response = try client.response()
    return (response.status, response.text)
  }

  @Test
  func `Local programs need no token, and find their records after a restart`()
    throws
  {
    try withTemporaryDirectory { folder in
      let lookup = #"{"records":[{"recordName":"x"}]}"#
      let first = try ServerProcess(data: folder)
      #expect(try ask(first, as: "ada", "records/modify", save("x")).status == 200)
      #expect(try ask(first, as: "bob", "records/lookup", lookup).text.contains("NOT_FOUND"))
      let end = first.end(by: SIGTERM)
      #expect(end.status == 0 && end.messages.contains(Self.developmentNotice), "\(end.messages)")
      let second = try ServerProcess(data: folder)
      #expect(try ask(second, as: "ada", "records/lookup", lookup).text.contains("recordChangeTag"))
      #expect(second.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `A new account gets a name in the server's only container`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder)
      #expect(try ask(server, as: "ada", "records/modify", save("x")).status == 200)
      let added = Commands.run(
        ["user", "add", "bob", "--json", "--data", folder.path], input: ["correct horse"])
      let user = try JSONDecoder().decode([String: String?].self, from: Data(added.result.utf8))
      let name = user["userRecordName"] ?? nil
      #expect(name?.hasPrefix("_") == true, "\(added)")
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }

  @Test(arguments: [["--no-development-users"], ["--host", "0.0.0.0"], ["--behind-proxy"]])
  func `A public server, or one without development users, requires tokens of local programs`(
    options: [String]
  ) throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder, options: options)
      let refused = try ask(server, as: "ada", "zones/list", "{}")
      #expect(refused.status == 403 && refused.text.contains("ACCESS_DENIED"), "\(refused)")
      let end = server.end(by: SIGTERM)
      #expect(!end.messages.contains(Self.developmentNotice), "\(end.messages)")
    }
  }

  @Test func `With --until-input-ends, the server stops at the end of its input`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder, "--until-input-ends")
      try server.input.fileHandleForWriting.close()
      let end = server.waitForEnd()
      #expect((end.status, end.isSignal) == (0, false))
      #expect(end.messages.contains("Stopping because of the end of standard input."), "\(end)")
    }
  }

  /// The text that a server on a new folder prints for people.
  private func firstText(of folder: URL, _ options: String...) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = ServerProcess.executable
    process.arguments = ["serve", "--data", folder.path, "--port", "0"] + options
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    var text = ""
    while !text.contains("user add NAME") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      text += String(decoding: more, as: UTF8.self)
    }
    process.terminate()
    process.waitUntilExit()
    return text
  }

  @Test func `The statement for programs names the server's own address`() throws {
    try withTemporaryDirectory { folder in
      let plain = try firstText(of: folder.appendingPathComponent("plain"))
      let address = try #require(plain.firstMatch(of: #/is at ([^,]+),/#)?.1)
      #expect(
        plain.contains(#"user: "ada", server: URL(string: "\#(address)")!))"#), "\(plain)")
      let data = folder.appendingPathComponent("secure")
      let secure = try firstText(of: data, "--tls-development")
      #expect(secure.contains(#"server: URL(string: "https://127.0.0.1:"#), "\(secure)")
      #expect(
        secure.contains(
          #"certificateAuthority = URL(fileURLWithPath: "\#(data.path)/tls/authority.pem")"#),
        "\(secure)")
    }
  }

  @Test func `The first administrators' key is in a private file and in no log`() throws {
    try withTemporaryDirectory { folder in
      let text = try firstText(of: folder)
      let file = folder.appendingPathComponent("administrator-key").path
      #expect(text.contains("The administrators' key is in \(file)"), "\(text)")
      let key = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
      #expect(key.wholeMatch(of: /[0-9a-f]{64}/) != nil && !text.contains(key))
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test(.endsAtAll)
  func `No file of a server takes the place of a closed standard output`() throws {
    try withTemporaryDirectory { folder in
      let process = Process()
      let messages = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", #"exec "$0" serve --data "$1" --port 0 --json >&-"#, ServerProcess.executable.path,
        folder.path,
      ]
      process.standardError = messages
      try process.run()
      let text = messages.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      #expect(String(decoding: text, as: UTF8.self).contains("Bad file descriptor"))
    }
  }

  /// Whether a server shows its metrics to the holder of a key.
  private func opens(_ server: ServerProcess, _ key: String) throws -> Bool {
    let client = try RawClient(port: server.port)
    try client.send(
      "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\r\n")
    return try client.response().status == 200
  }

  @Test func `The first successful start reports the administrators' key`() throws {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let busy = try ServerProcess(data: folder.appendingPathComponent("busy"))
      let certificate = folder.appendingPathComponent("no-certificate.pem")
      try Data("nothing".utf8).write(to: certificate)
      let failing = [
        ["--port", "\(busy.port)"],
        ["--port", "0", "--tls-certificate", certificate.path, "--tls-key", certificate.path],
      ]
      for options in failing {
        for form in [[], ["--json"]] {
          let failed = Commands.run(["serve", "--data", data.path] + options + form)
          #expect(failed.status == .failure, "\(failed)")
        }
      }
      #expect(busy.end(by: SIGTERM).status == 0)
      // Commands that need no key work first.
      _ = try credentials(data)
      let key: String
      do {
        let server = try ServerProcess(data: data)
        key = try #require(server.announcement["administratorKey"] as? String)
        #expect(try opens(server, key))
        #expect(server.end(by: SIGTERM).status == 0)
      }
      let again = try ServerProcess(data: data)
      #expect(again.announcement["administratorKey"] == nil)
      #expect(try opens(again, key))
      #expect(again.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `An administrators' key made before the first start stays`() throws {
    try withTemporaryDirectory { folder in
      let busy = try ServerProcess(data: folder.appendingPathComponent("busy"))
      let data = folder.appendingPathComponent("data")
      #expect(
        Commands.run(["serve", "--data", data.path, "--port", "\(busy.port)"]).status == .failure)
      #expect(busy.end(by: SIGTERM).status == 0)
      let created = Commands.run(["key", "administrator", "--data", data.path])
      let key = try #require(created.result.split(separator: " ").last).trimmingCharacters(
        in: .newlines)
      let server = try ServerProcess(data: data)
      #expect(server.announcement["administratorKey"] == nil)
      #expect(try opens(server, key))
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `The server offers TLS for development and names the certificate to trust`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder, "--tls-development", "--tls-name", "cloud.test")
      let authority = try #require(server.announcement["certificateAuthority"] as? String)
      let curl = Process()
      curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      curl.arguments = [
        "curl", "--silent", "--cacert", authority, "--resolve",
        "cloud.test:\(server.port):127.0.0.1",
        "https://cloud.test:\(server.port)/health",
      ]
      let output = Pipe()
      curl.standardOutput = output
      try curl.run()
      #expect(
        String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
          == #"{"status":"ok"}"#)
      curl.waitUntilExit()
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }
}
