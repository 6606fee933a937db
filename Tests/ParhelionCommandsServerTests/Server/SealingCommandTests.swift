import CommandTestSupport
import Foundation
import ParhelionCommands
import TestSupport
import Testing

/// The key of encrypted values in a separate file.
@Suite("The commands' sealing keys", .blockingThreads, .endsAtAll)
struct SealingCommandTests {
  private func file(_ lines: String..., in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("keys-\(UUID().uuidString)")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return file.path
  }

  private static let keys = [
    String(repeating: "0a", count: 32), String(repeating: "1B", count: 32),
  ]

  /// Starts a server with a file of keys, and stops it.
  private func start(_ data: URL, keys file: String) throws {
    let server = try ServerProcess(data: data, "--sealing-key-file", file)
    #expect(server.end(by: SIGTERM).status == 0)
  }

  @Test
  func `Serving and checking require a store's sealing key, and other commands do not`()
    throws
  {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let (first, both, second) = (
        try file(Self.keys[0], in: folder),
        try file("# two", Self.keys[1], "", Self.keys[0], in: folder),
        try file(Self.keys[1] + "\n", in: folder)
      )
      try start(data, keys: first)
      for wrong in [[], ["--sealing-key-file", second]] {
        let refused = Commands.run(["serve", "--data", data.path, "--port", "0"] + wrong)
        #expect(
          refused.status == .failure && refused.messages.contains("--sealing-key-file"),
          "\(refused)")
        let checked = Commands.run(["check", "--data", data.path] + wrong)
        #expect(
          checked.status == .failure && checked.result.contains("--sealing-key-file"), "\(checked)")
      }
      for command in [["user", "list"], ["backup", folder.appendingPathComponent("copy").path]] {
        let outcome = Commands.run(command + ["--data", data.path])
        #expect(outcome.status == .success, "\(outcome)")
      }
      try start(data, keys: both)
      try start(data, keys: second)
      let sound = Commands.run([
        "check", "--thorough", "--data", data.path, "--sealing-key-file", second,
      ])
      #expect(sound.status == .success, "\(sound)")
    }
  }

  @Test(arguments: [0o640, 0o644, 0o604])
  func `A file that others can read is rejected before anything is created`(mode: Int) throws {
    try withTemporaryDirectory { folder in
      let (data, key) = (folder.appendingPathComponent("data"), try file(Self.keys[0], in: folder))
      // Root's group may read the file, as with files that systemd passes on.
      var isOpen = true
      if mode == 0o640 { isOpen = getegid() != 0 }
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
      guard isOpen else { return }
      let outcome = Commands.run(["serve", "--data", data.path, "--sealing-key-file", key])
      #expect(outcome.status == .failure && outcome.messages.contains("chmod 400"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: data.path))
    }
  }

  @Test(arguments: ["", "# nothing", "0a0b", String(repeating: "0g", count: 32)])
  func `A file without a key is reported before anything is created`(text: String) throws {
    try withTemporaryDirectory { folder in
      let data = folder.appendingPathComponent("data")
      let outcome = Commands.run([
        "serve", "--data", data.path, "--sealing-key-file", try file(text, in: folder),
      ])
      #expect(outcome.status == .failure && outcome.messages.contains("sealing key"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: data.path))
    }
  }
}
