import Foundation
import SourceMigration
import TestSupport
import Testing

@Suite("migrate-sources")
struct MigrationCommandTests {
  /// The output and exit status of one run.
  private struct Run {
    var output = ""
    var errors = ""
    var status = MigrationCommand.ExitStatus.success
  }

  private func run(_ words: [String], answer: String? = nil) -> Run {
    final class Transcript { var output = "", errors = "" }
    let transcript = Transcript()
    let console = Console(
      write: { transcript.output += $0 }, writeError: { transcript.errors += $0 },
      ask: answer.map { text in { text } },
      isColoured: false)
    let status = MigrationCommand(console: console).run(words)
    return Run(output: transcript.output, errors: transcript.errors, status: status)
  }

  private func withSource(_ text: String, _ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Post.swift")
      try Data(text.utf8).write(to: file)
      try body(file)
    }
  }

  private func text(_ file: URL) -> String {
    String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
  }

  private static let before = "@objc class Post {}\n"
  private static let after = "#if canImport(ObjectiveC)\n@objc\n#endif\nclass Post {}\n"

  @Test(arguments: [[], ["--dry-run"]])
  func `Without a terminal, the command shows the diff and how to apply it`(
    _ options: [String]
  ) throws {
    try withSource(Self.before) { file in
      let result = run(options + [file.path])
      #expect(result.status == .success)
      #expect(
        result.output.hasSuffix(
          "@@ -1 +1,4 @@\n-@objc class Post {}\n+#if canImport(ObjectiveC)\n+@objc\n+#endif\n+class Post {}\n"
        ))
      #expect(
        result.errors.contains(
          "1 of 1 files change (4 lines added, 1 removed); 0 places need a change by hand."))
      #expect(result.errors.contains("--apply"))
      #expect(text(file) == Self.before)
    }
  }

  @Test func `Each target is migrated in its language mode from the manifest`() throws {
    try withTemporaryDirectory { folder in
      let observer = """
        class Post {
          func start() {
            NotificationCenter.default.addObserver(self, selector: #selector(saved), name: n, object: nil)
          }
          func saved() {}
        }
        """
      let manifest = """
        // swift-tools-version: 6.0
        let package = Package(targets: [
          .target(name: "Old", swiftSettings: [.swiftLanguageMode(.v5)]), .target(name: "New"),
        ])
        """
      for (name, text) in [
        ("Package.swift", manifest), ("Old.swift", observer),
        ("New.swift", "final " + observer.replacingOccurrences(of: "Post", with: "Page")),
      ] {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
      let path = { (name: String) in folder.appendingPathComponent(name).path }
      let result = run([
        "--manifest", path("Package.swift"), "--target", "Old", path("Old.swift"), "--target",
        "New", path("New.swift"),
      ])
      #expect(result.output.contains("+    _ = NotificationCenter.default.addObserver(forName: n"))
      #expect(
        result.errors.contains("Page is not Sendable")
          && !result.errors.contains("Post is not Sendable"))
    }
  }

  @Test func `Names are imported for targets without a build plug-in in the manifest`() throws {
    try withTemporaryDirectory { folder in
      let path = { (name: String) in folder.appendingPathComponent(name).path }
      let manifest = """
        // swift-tools-version: 6.0
        let plugin = Target.PluginUsage.plugin(name: "ManagedObjectModelPlugin", package: "parhelion")
        let package = Package(targets: [
          .target(name: "Own", plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "parhelion")]),
          .target(name: "Shared", plugins: [plugin]), .target(name: "Bare"),
          .testTarget(name: "BareTests", dependencies: ["Bare"], plugins: []),
        ])
        """
      try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))
      let targets = ["Own", "Shared", "Bare", "BareTests"]
      for name in targets {
        let text =
          "import CoreData\nimport Foundation\nlet \(name) = NSExpression(forKeyPath: \"a\")\n"
        try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).swift"))
      }
      let words =
        ["--manifest", path("Package.swift")]
        + targets.flatMap { ["--target", $0, path("\($0).swift")] }
      let changed = { (words: [String]) in
        let output = run(words).output
        return targets.filter { output.contains("+++ \(path("\($0).swift"))\n") }
      }
      #expect(changed(words) == ["Bare", "BareTests"])
      #expect(changed(["--without-plugin"] + words) == targets)
    }
  }

  @Test func `A given language mode overrides the manifest's`() throws {
    try withTemporaryDirectory { folder in
      let text = """
        final class Page {
          func start() {
            NotificationCenter.default.addObserver(self, selector: #selector(saved), name: n, object: nil)
          }
          func saved() {}
        }
        """
      let manifest =
        "// swift-tools-version: 6.0\nlet package = Package(targets: [.target(name: \"New\")])\n"
      try Data(text.utf8).write(to: folder.appendingPathComponent("New.swift"))
      try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))
      let words = [
        "--manifest", folder.path + "/Package.swift", "--target", "New", folder.path + "/New.swift",
      ]
      #expect(run(words).errors.contains("Page is not Sendable"))
      #expect(!run(["--language-mode", "5"] + words).errors.contains("Page is not Sendable"))
    }
  }

  @Test func `An unreadable manifest is reported`() throws {
    try withSource(Self.before) { file in
      let manifest = file.deletingLastPathComponent().appendingPathComponent("Package.swift")
      for text in ["let name = \"unclosed", "let targets = ["] {
        try Data(text.utf8).write(to: manifest)
        let result = run(["--manifest", manifest.path, "--target", "New", file.path])
        #expect(result.status == .failure, "\(text)")
        #expect(result.errors.contains("The manifest \(manifest.path) cannot be read"), "\(text)")
      }
    }
  }

  @Test(arguments: [("y", true), ("YES", true), ("n", false), ("", false)])
  func `On a terminal, the command asks before it writes`(_ answer: String, _ isWritten: Bool)
    throws
  {
    try withSource(Self.before) { file in
      #expect(run([file.path], answer: answer).status == .success)
      #expect(text(file) == (isWritten ? Self.after : Self.before))
    }
  }

  @Test func `Applying keeps permissions, links, line endings and the byte order mark`() throws {
    try withSource("\u{FEFF}@objc class Post {}\r\n") { file in
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
      let link = file.deletingLastPathComponent().appendingPathComponent("Link.swift")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      #expect(run(["--apply", link.path]).status == .success)
      #expect(text(file) == "\u{FEFF}" + Self.after.replacing("\n", with: "\r\n"))
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
      #expect(run(["--check", link.path]).status == .success, "a second run changes nothing")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
          .count == 2)
    }
  }

  @Test func `A folder is searched for Swift files that are not hidden`() throws {
    try withTemporaryDirectory { folder in
      for name in ["B.swift", "A/C.swift", ".build/D.swift", "E.txt"] {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(Self.before.utf8).write(to: file)
      }
      let result = run(["--apply", folder.path])
      let changed = result.errors.split(separator: "\n").filter { $0.hasPrefix("changed ") }
      #expect(changed == ["changed \(folder.path)/A/C.swift", "changed \(folder.path)/B.swift"])
    }
  }

  @Test func `A check fails while changes are pending`() throws {
    try withSource(Self.before) { #expect(run(["--check", $0.path]).status == .failure) }
    try withSource(Self.after) { #expect(run(["--check", $0.path]).status == .success) }
  }

  @Test func `A broken file fails, and the others are migrated`() throws {
    try withSource(Self.before) { file in
      let broken = file.deletingLastPathComponent().appendingPathComponent("Broken.swift")
      try Data("let a = \"".utf8).write(to: broken)
      let result = run(["--apply", file.path, broken.path])
      #expect(result.status == .failure)
      #expect(result.errors.contains("Broken.swift:1:9: error: this string literal is not closed"))
      #expect(text(file) == Self.after)
    }
  }

  @Test func `The error names a file that is missing or not UTF-8`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Latin.swift")
      try Data([0x2F, 0x2F, 0xE9]).write(to: file)
      #expect(run([file.path]).errors.contains("Latin.swift: this file is not UTF-8 text"))
      #expect(
        run([folder.path + "/None.swift"]).errors.contains("None.swift: there is no such file"))
      #expect(run([file.path]).status == .failure)
    }
  }

  @Test(arguments: [
    [], ["--apply"], ["--aply", "a.swift"], ["--apply", "--check", "a"],
    ["--language-mode", "seven", "a"],
  ])
  func `Invalid arguments exit with status 64 and print the usage`(_ words: [String]) {
    let result = run(words)
    #expect(result.status == .usage)
    #expect(result.errors.contains("usage: migrate-sources"))
  }

  @Test func `Help is printed to standard output`() {
    #expect(run(["--help"]).output.hasPrefix("usage: migrate-sources"))
    #expect(run(["--help"]).status == .success)
  }
}
