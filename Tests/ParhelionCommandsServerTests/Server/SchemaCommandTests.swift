import CloudRecords
import CommandTestSupport
import Foundation
import ParhelionCommands
import RecordServer
import RecordServerHTTP
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite("Schema commands", .blockingThreads, .endsAtAll)
struct SchemaCommandTests {
  private static let container = "iCloud.com.example.notes"
  private static let book = """
    DEFINE SCHEMA
        RECORD TYPE Book (
            title STRING QUERYABLE,
            GRANT READ TO "_world"
        );

    """

  /// Runs a test on a folder with a container that has no custom record types.
  private func withContainer(_ body: (URL, (String...) -> Commands.Outcome) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let server = try await CloudServer.start(on: try SQLiteStorageEngine(folder: folder.path))
      _ = try await server.service.accounts.createAPIToken(
        for: ContainerAddress(container: Self.container, environment: .development))
      await server.shutdown(within: .zero)
      try await body(folder) { (arguments: String...) in
        Commands.run(
          ["schema"] + arguments + ["--data", folder.path, "--container", Self.container])
      }
    }
  }

  private func file(_ text: String, in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("\(UUID().uuidString).ckdb")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  @Test func `A schema is validated, imported, compared, deployed and exported`() async throws {
    try await withContainer { folder, run in
      let book = try file(Self.book, in: folder)
      #expect(run("validate", book).result.contains("+ RECORD TYPE Book"))
      #expect(run("import", book, "--dry-run").result.contains("+   title STRING QUERYABLE"))
      #expect(!run("export").result.contains("Book"))
      #expect(run("import", book).status == .success)
      #expect(run("export").result.contains("title"))
      #expect(run("diff").status == .failure)
      #expect(run("deploy", "--dry-run").result.contains("+ RECORD TYPE Book"))
      #expect(!run("export", "--environment", "production").result.contains("Book"))
      #expect(run("deploy").status == .success)
      #expect(run("diff").status == .success)
      let production = run("export", "--environment", "production")
      #expect(production.result == run("export").result)
      #expect(run("import", try file(production.result, in: folder)).result == "No changes.\n")
    }
  }

  @Test func `A change that loses data needs --erase, and types in production stay`() async throws {
    try await withContainer { folder, run in
      let book = try file(Self.book, in: folder)
      let shelf = try file(Self.book.replacingOccurrences(of: "Book", with: "Shelf"), in: folder)
      #expect(run("import", book).status == .success)
      let refused = run("import", shelf)
      #expect(
        refused.status == .failure && refused.messages.contains("all records of Book"), "\(refused)"
      )
      let done = run("import", shelf, "--erase")
      #expect(done.status == .success && done.messages.contains("all records of Book"), "\(done)")
      #expect(run("deploy").status == .success)
      let impossible = run("import", book, "--erase")
      #expect(
        impossible.status == .failure && impossible.messages.contains("Shelf"), "\(impossible)")
      #expect(run("reset").status == .usage)
      #expect(run("reset", "--erase").status == .success)
      #expect(run("diff").status == .success)
    }
  }

  @Test func `A schema may have as many fields as an operator can permit`() async throws {
    try await withContainer { folder, run in
      let fields = (0..<300).map { "f\($0) STRING" }.joined(separator: ", ")
      let large = try file("DEFINE SCHEMA RECORD TYPE Large (\(fields));", in: folder)
      #expect(run("validate", large).status == .success)
      #expect(run("import", large).status == .success)
      let exported = run("export")
      #expect(exported.result.contains("f299"), "\(exported)")
      #expect(run("import", try file(exported.result, in: folder)).result == "No changes.\n")
    }
  }

  @Test func `A damaged schema in the store is reported with its details`() async throws {
    try await withContainer { folder, run in
      #expect(run("import", try file(Self.book, in: folder)).status == .success)
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await engine.write(in: nil) { transaction in
        for entry in try transaction.entries(in: .all)
        where entry.value.starts(with: "DEFINE SCHEMA".utf8) {
          try transaction.set(Array("DEFINE SCHEME".utf8), for: entry.key)
        }
      }
      await engine.close()
      let failed = run("reset", "--erase")
      #expect(failed.status == .failure && failed.messages.contains("Expected SCHEMA"), "\(failed)")
    }
  }

  @Test
  func `An invalid schema, a missing file and an unknown container are reported`() async throws {
    try await withContainer { folder, run in
      let wrong = run(
        "validate", try file("DEFINE SCHEMA RECORD TYPE Book (title TEXT);", in: folder))
      #expect(wrong.status == .failure && wrong.messages.contains("TEXT"), "\(wrong)")
      #expect(run("import", "/gone.ckdb").messages.contains("/gone.ckdb does not exist."))
      let other = Commands.run([
        "schema", "export", "--container", "iCloud.other", "--data", folder.path,
      ])
      #expect(other.status == .failure && other.messages.contains("iCloud.other"))
      #expect(Commands.run(["schema", "export", "--data", folder.path]).status == .usage)
    }
  }
}
