import CommandTestSupport
import Foundation
import ParhelionCommands
import RecordServerHTTP
import SQLiteRecordStorage
import TestSupport
import Testing

/// The sentences that tell an operator what to change.
@Suite("Messages of server commands", .blockingThreads, .endsAtAll, .serialized)
struct CommandMessageTests {
  private static let container = "iCloud.com.example.notes"
  private static let mail = [
    "--smtp", "smtps://a%40b.c@mail.example.com", "--address", "https://cloud.example.com",
  ]

  /// Calls whose last argument is a file.
  static let calls: [[String]] = [
    ["serve", "--port", "0", "--sealing-key-file"], ["check", "--sealing-key-file"],
    ["serve", "--port", "0"] + mail + ["--smtp-password"],
    ["serve", "--port", "0", "--tls-key", "/nonexistent/key", "--tls-certificate"],
    ["key", "add", "--container", container, "--public-key"],
    ["schema", "validate", "--container", container],
  ]

  @Test(arguments: calls)
  func `A missing file is an error with its reason and no usage`(call: [String]) throws {
    try withTemporaryDirectory { folder in
      let file = folder.path + "/gone"
      let outcome = Commands.run(call + [file, "--data", folder.path + "/data"])
      #expect(outcome.status == .failure, "\(outcome)")
      #expect(outcome.messages.contains("\(file) does not exist."), "\(outcome)")
      #expect(!outcome.messages.contains("usage:"), "\(outcome)")
    }
  }

  // OpenSSL reads the other call's file, and reports a folder as a file without a certificate.
  static let callsOfOurs = calls.filter { !$0.contains("--tls-key") }

  @Test(arguments: callsOfOurs)
  func `A folder in place of a file is an error with its reason`(call: [String]) throws {
    try withTemporaryDirectory { folder in
      let outcome = Commands.run(call + [folder.path, "--data", folder.path + "/data"])
      #expect(outcome.status == .failure, "\(outcome)")
      #expect(outcome.messages.contains("Is a directory"), "\(outcome)")
    }
  }

  @Test func `A secret is read through a symbolic link`() throws {
    try withTemporaryDirectory { folder in
      let (file, link) = (folder.path + "/key", folder.path + "/link")
      let key = Data(String(repeating: "0a", count: 32).utf8)
      #expect(
        FileManager.default.createFile(
          atPath: file, contents: key, attributes: [.posixPermissions: 0o600]))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
      let outcome = Commands.run(["check", "--sealing-key-file", link, "--data", folder.path])
      #expect(outcome.messages.contains("The folder \(folder.path) has no store."), "\(outcome)")
      #expect(outcome.messages.contains("--data"), "\(outcome)")
    }
  }

  @Test func `A folder that cannot be created is reported with the system's reason`() {
    let outcome = Commands.run(["serve", "--data", "/dev/null/x", "--port", "0"])
    #expect(outcome.status == .failure)
    #expect(
      outcome.messages == "parhelion: The folder /dev/null/x cannot be created: Not a directory.\n")
  }

  @Test func `A taken port is named with the option that changes it`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder.appendingPathComponent("first"))
      let outcome = Commands.run([
        "serve", "--data", folder.path + "/second", "--port", "\(server.port)",
      ])
      #expect(outcome.status == .failure, "\(outcome)")
      #expect(
        outcome.messages.contains(
          "The server cannot listen at 127.0.0.1:\(server.port): Address already in use."),
        "\(outcome)")
      #expect(outcome.messages.contains("--port"), "\(outcome)")
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }

  @Test func `A damaged store is named, with a remedy`() async throws {
    try await withTemporaryDirectory { folder in
      let server = try await CloudServer.start(on: try SQLiteStorageEngine(folder: folder.path))
      await server.shutdown(within: .zero)
      let store = folder.appendingPathComponent("records.sqlite")
      var bytes = try Data(contentsOf: store)
      let first = 4_096
      try #require(bytes.count > first)
      bytes.replaceSubrange(first..., with: Data(repeating: 7, count: bytes.count - first))
      try bytes.write(to: store)
      let checked = Commands.run(["check", "--data", folder.path])
      #expect(checked.status == .failure)
      #expect(checked.result.hasPrefix("The store \(store.path) is damaged."), "\(checked)")
      #expect(checked.result.contains("restore the last backup"), "\(checked)")
      let listed = Commands.run(["user", "list", "--data", folder.path])
      #expect(listed.status == .failure)
      #expect(listed.messages.hasPrefix("parhelion: \(store.path): "), "\(listed)")
      #expect(!listed.messages.contains("(damaged"), "\(listed)")
    }
  }

  @Test(arguments: ["0", "1000000", "x"])
  func `An invalid number of days is a usage error with the range`(days: String) {
    let outcome = Commands.run(["user", "invite", "--expires", days])
    #expect(outcome.status == .usage, "\(outcome)")
    #expect(outcome.messages.contains("from 1 to 36500"), "\(outcome)")
  }

  @Test func `Columns of lists are aligned`() async throws {
    try await withTemporaryDirectory { folder in
      let server = try await CloudServer.start(on: try SQLiteStorageEngine(folder: folder.path))
      await server.shutdown(within: .zero)
      for name in ["ada", "bob@example.com"] {
        let added = Commands.run(
          ["user", "add", name, "--data", folder.path], input: ["correct horse"])
        #expect(added.status == .success, "\(added)")
      }
      let listed = Commands.run(["user", "list", "--data", folder.path])
      let places = listed.result.split(separator: "\n").compactMap { line in
        line.firstRange(of: "since").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
      }
      #expect(places.count == 2 && Set(places).count == 1, "\(listed)")
    }
  }
}
