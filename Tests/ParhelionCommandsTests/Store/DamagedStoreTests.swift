import Foundation
import ParhelionCommands
import SQLiteDriver
import TestSupport
import Testing

/// On damaged files, commands end with a message and status 1, or show everything that can be read.
@Suite struct `The commands on damaged stores` {
  private func run(_ command: String, _ path: String) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["store", command, path, "--json"], console: console)
    return (status, console.result, console.messages)
  }

  private static let commands = ["inspect", "dump", "check"]

  /// Checks the outcome of a command on a file that may be damaged.
  private func expectSensibleOutcome(_ command: String, _ path: String, _ place: Comment) {
    let outcome = run(command, path)
    if outcome.status == .success {
      #expect(!outcome.result.isEmpty, place)
    } else {
      // A check reports its issues as the result. All other commands give a reason for their
      // failure.
      let lines = outcome.messages.split(separator: "\n")
      #expect(command == "check" && !outcome.result.isEmpty || !lines.isEmpty, place)
      #expect(lines.allSatisfy { $0.count < 1000 }, place)
    }
  }

  /// The bytes of a valid store.
  private func validStore(in folder: URL) throws -> [UInt8] {
    let path = try SampleStore.make(in: folder)
    let connection = try Connection(.file(path), options: .init(mode: .readWrite))
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try connection.close()
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test func `A truncated file does not crash the commands`() throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      let bytes = try validStore(in: folder)
      let path = folder.appendingPathComponent("cut.sqlite").path
      let places = [0, 1, 15, 16, 99, 100, 1024, 4095, 4096, 4097, bytes.count - 1]
      for length in places + (0..<30).map({ _ in Int.random(in: 0..<bytes.count, using: &random) })
      {
        try Data(bytes.prefix(length)).write(to: URL(fileURLWithPath: path))
        for command in Self.commands {
          expectSensibleOutcome(command, path, "\(command) of \(length) bytes, \(random)")
        }
        let check = run("check", path)
        #expect(check.status == .failure, "\(length) bytes, \(random)")
      }
    }
  }

  @Test func `A file with changed bytes does not crash the commands`() throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      let bytes = try validStore(in: folder)
      let path = folder.appendingPathComponent("flipped.sqlite").path
      for _ in 0..<150 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
            in: .min ... .max, using: &random)
        }
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        for command in Self.commands {
          expectSensibleOutcome(command, path, "\(command), \(random)")
        }
      }
    }
  }

  @Test func `Changed rows do not crash the commands`() throws {
    var random = SeededGenerator.forTest()
    let values = [
      "NULL", "-1", "0", "9223372036854775807", "''", "'ZTHING'", "x''", "x'00FF'", "1.5",
      "'a'' \"b'",
    ]
    let columns = [
      "Z_PRIMARYKEY SET Z_NAME", "Z_PRIMARYKEY SET Z_SUPER", "Z_PRIMARYKEY SET Z_MAX",
      "Z_METADATA SET Z_UUID",
      "Z_METADATA SET Z_PLIST", "Z_MODELCACHE SET Z_CONTENT",
      "ACHANGE SET ZENTITY", "ATRANSACTION SET ZAUTHORTS", "ZTHING SET Z_ENT", "ZTHING SET Z_OPT",
      "ZTHING SET ZOWNER",
      "ZTHING SET ZLARGE", "ZTHING SET ZID", "ZTHING SET ZFLAG", "Z_3THINGS SET Z_3TAGS",
    ]
    for _ in 0..<60 {
      try withTemporaryDirectory { folder in
        let sql =
          "UPDATE OR IGNORE \(columns.randomElement(using: &random) ?? "") = \(values.randomElement(using: &random) ?? "")"
        let path = try SampleStore.make(in: folder, changedBy: sql)
        for command in Self.commands {
          expectSensibleOutcome(command, path, "\(command) after \(sql), \(random)")
        }
      }
    }
  }

  @Test func `A file that is not a store fails with a reason`() throws {
    try withTemporaryDirectory { folder in
      let cases: [(name: String, contents: Data, says: String)] = [
        ("empty", Data(), "is empty"),
        ("text", Data("hello".utf8), "is not a SQLite database"),
        // Like an encrypted database: noise of a whole number of pages.
        (
          "noise", Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }),
          "is not a SQLite database"
        ),
      ]
      for (name, contents, says) in cases {
        let path = folder.appendingPathComponent(name).path
        try contents.write(to: URL(fileURLWithPath: path))
        for command in Self.commands {
          let outcome = run(command, path)
          #expect(
            outcome.status == .failure && outcome.messages.contains(says),
            "\(command) \(name): \(outcome.messages)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == contents)
      }
      for command in Self.commands {
        let outcome = run(command, folder.path)
        #expect(
          outcome.status == .failure && outcome.messages.contains("is a folder"),
          "\(outcome.messages)")
      }
      let foreign = folder.appendingPathComponent("foreign").path
      let connection = try Connection(.file(foreign), options: .init(mode: .create))
      try connection.execute("CREATE TABLE a (b)")
      try connection.close()
      for command in Self.commands {
        let outcome = run(command, foreign)
        #expect(
          outcome.status == .failure && outcome.messages.contains("no Core Data store"),
          "\(outcome.messages)")
      }
    }
  }
}
