import CommandTestSupport
import Foundation
import ParhelionCommands
import TestSupport
import Testing

/// Arguments of the commands on shares, which are checked before any request.
@Suite("Share arguments", .blockingThreads)
struct ShareArgumentTests {
  /// Runs a command for a server that does not exist.
  private func run(_ arguments: String...) -> Commands.Outcome {
    Commands.run(
      ["share"] + arguments + [
        "--container", "iCloud.com.example.trips", "--user", "ada", "--server",
        "http://127.0.0.1:1",
      ])
  }

  @Test(arguments: ["", "_x", "_defaultZone", "été", String(repeating: "a", count: 300)])
  func `An invalid zone name is a usage error`(name: String) {
    let outcomes = [
      run("create", name), run("show", name), run("stop", name), run("link", name),
      run("add", name, "bob@development.invalid"), run("remove", name, "bob"),
      run("public", name, "none"), run("requests", name, "--allow"),
    ]
    for outcome in outcomes {
      #expect(outcome.status == .usage, "\(outcome)")
      #expect(
        outcome.messages.hasPrefix("parhelion: The zone name ")
          || outcome.messages.hasPrefix("parhelion: The default zone cannot be shared"),
        "\(outcome)")
    }
  }

  @Test(arguments: [
    "", "bob", "not an address", "@example.com", "bob@", "bob@x@y",
    String(repeating: "a", count: 3000),
  ])
  func `A text that is not an e-mail address is a usage error`(text: String) {
    let outcome = run("add", "Trips", text)
    #expect(outcome.status == .usage, "\(outcome)")
    let reason = outcome.messages.prefix { !$0.isNewline }
    #expect(reason.contains("is not an e-mail address"))
    #expect(reason.contains("bob@development.invalid") == (text == "bob"), "\(reason)")
  }

  @Test func `Options that contradict each other are usage errors`() {
    let cases: [(outcome: Commands.Outcome, words: String)] = [
      (run("link", "Trips", "--permission", "read-only"), "--permission needs --one-time."),
      (
        run("requests", "Trips", "--allow", "--permission", "read-write"),
        "--permission needs --approve."
      ),
      (run("requests", "Trips", "--allow", "--forbid"), "exclude each other"),
      (run("public", "Trips", "all"), "PERMISSION is none, read-only or read-write"),
      (run("permission", "Trips", "bob", "none"), "PERMISSION is read-only or read-write"),
      (run("accept", "Trips"), "is not the link of a share"),
      (run("accept", "http://"), "is not the link of a share"),
    ]
    for (outcome, words) in cases {
      #expect(outcome.status == .usage && outcome.messages.contains(words), "\(outcome)")
    }
  }

  @Test func `Invalid options for the container are usage errors`() {
    let cases: [(options: [String], words: String)] = [
      (["--user", "ada"], "use --container or PARHELION_CONTAINER"),
      (["--server", "http://127.0.0.1:1"], "use --container or PARHELION_CONTAINER"),
      (["--container", ""], "--container is empty"),
      (["--container", "iCloud.com.example.trips", "--user", ""], "--user is empty"),
      (["--container", "1x", "--user", "ada"], "parhelion: --container “1x” does not begin"),
      (
        ["--container", "iCloud.com.example.trips", "--user", "ada", "--server", "127.0.0.1:1"],
        "parhelion: --server “127.0.0.1:1” is not the URL of a server"
      ),
    ]
    for (options, words) in cases {
      let outcome = Commands.run(["share", "list"] + options)
      #expect(outcome.status == .usage && outcome.messages.contains(words), "\(outcome)")
    }
  }

  @Test func `A thumbnail that is not an image is an error`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("image.png")
      try Data("This is not an image.".utf8).write(to: file)
      let outcome = run("create", "Trips", "--thumbnail", file.path)
      #expect(outcome.status == .failure, "\(outcome)")
      #expect(outcome.messages.contains("is not an image in PNG, JPEG or GIF"), "\(outcome)")
    }
  }

  @Test func `Only a program can be registered`() throws {
    try withTemporaryDirectory { folder in
      let text = folder.appendingPathComponent("text")
      try Data().write(to: text)
      for path in [text.path, folder.path, "\(folder.path)/missing"] {
        let outcome = Commands.run(["share", "register", "--command", path])
        #expect(outcome.status == .usage, "\(outcome)")
        #expect(outcome.messages.contains("is not a program that you may run"), "\(outcome)")
      }
      let both = Commands.run(["share", "register", "--remove", "--command", "/bin/sh"])
      #expect(both.status == .usage && both.messages.contains("exclude each other"), "\(both)")
    }
  }

  @Test func `Help explains the operands of a command, and no others`() {
    for command in ParhelionTool.commands where command.path.first == "share" {
      let help = Commands.run(command.path + ["--help"]).result
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let names = command.operands + command.options.compactMap(\.value)
      for name in ["SHARE", "ZONE", "LINK", "PERSON"] {
        #expect(help.contains("\(name) is ") == names.contains(name), "\(command.name): \(name)")
      }
    }
  }
}
