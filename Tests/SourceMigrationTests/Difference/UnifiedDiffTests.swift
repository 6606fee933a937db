import Foundation
import SourceMigration
import TestSupport
import Testing

@Suite("The unified diff")
struct UnifiedDiffTests {
  @Test func `Equal texts have no diff`() {
    #expect(UnifiedDiff(path: "a", from: "x\n", to: "x\n").rendered(inColour: false) == "")
  }

  @Test func `Distant changes have separate hunks with three lines of context`() {
    let old = (1...20).map { "\($0)\n" }
    var new = old
    new[1] = "two\n"
    new.remove(at: 17)
    let diff = UnifiedDiff(path: "Sources/a.swift", from: old.joined(), to: new.joined())
    #expect(
      diff.rendered(inColour: false) == """
        --- a/Sources/a.swift
        +++ b/Sources/a.swift
        @@ -1,5 +1,5 @@
         1
        -2
        +two
         3
         4
         5
        @@ -15,6 +15,5 @@
         15
         16
         17
        -18
         19
         20

        """)
    #expect(diff.counts == (removed: 2, added: 1))
  }

  @Test func `A hunk starts after the lines that earlier hunks add and remove`() {
    let old = (1...30).map { "\($0)\n" }
    var new = old
    new.remove(at: 28)
    new.insert("half\n", at: 14)
    new.removeFirst(2)
    let diff = UnifiedDiff(path: "a", from: old.joined(), to: new.joined())
    #expect(
      diff.hunks.map(\.header) == ["@@ -1,5 +1,3 @@", "@@ -12,6 +10,7 @@", "@@ -26,5 +25,4 @@"])
  }

  @Test func `A missing line ending is marked`() {
    let diff = UnifiedDiff(path: "/a", from: "", to: "x").rendered(inColour: false)
    #expect(diff == "--- /a\n+++ /a\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n")
  }

  @Test func `Colours do not enclose line endings`() {
    let diff = UnifiedDiff(path: "a", from: "x\r\n", to: "y\r\n").rendered(inColour: true)
    #expect(diff.contains("\u{1B}[31m-x\u{1B}[0m\r\n\u{1B}[32m+y\u{1B}[0m\r\n"))
  }

  private static let patch = "/usr/bin/patch"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: patch), "patch is not installed"))
  func `The patch tool turns the old text into the new one`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<20 {
      let old = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        "\(Int.random(in: 0...5, using: &generator))\n"
      }
      let new = old.flatMap { line -> [String] in
        switch Int.random(in: 0...5, using: &generator) {
        case 0: []
        case 1: [line, "added\n"]
        default: [line]
        }
      }
      guard old != new else { continue }
      try withTemporaryDirectory { folder in
        let file = folder.appendingPathComponent("a")
        try Data(old.joined().utf8).write(to: file)
        let diff = UnifiedDiff(path: "a", from: old.joined(), to: new.joined()).rendered(
          inColour: false)
        try Data(diff.utf8).write(to: folder.appendingPathComponent("diff"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.patch)
        process.arguments = ["--quiet", "--strip=1", "--input=diff"]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        let result = FileManager.default.contents(atPath: file.path) ?? Data()
        #expect(String(decoding: result, as: UTF8.self) == new.joined(), "\(generator)")
      }
    }
  }
}
