import Foundation
import Testing

@Suite("Tables of the documentation") struct ReferenceTableTests {
  private static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appendingPathComponent("Documentation")

  /// The pages that have generated blocks.
  private static func pages() throws -> [(file: URL, text: String, blocks: GeneratedBlocks)] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      path.hasSuffix(".md") && !path.hasPrefix(".output/")
    }
    return try paths.sorted().compactMap { path in
      let file = folder.appendingPathComponent(path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let blocks = try GeneratedBlocks(parsing: text)
      return blocks.names.isEmpty ? nil : (file, text, blocks)
    }
  }

  @Test func `The tables agree with the code`() throws {
    let writes = ProcessInfo.processInfo.environment["PARHELION_WRITE_TABLES"] != nil
    for page in try Self.pages() {
      let created = page.blocks.document { ReferenceTable(rawValue: $0)?.markdown }
      let isUpToDate = created == page.text
      if writes, !isUpToDate { try Data(created.utf8).write(to: page.file) }
      #expect(
        isUpToDate || writes,
        "\(page.file.lastPathComponent) is out of date: run Scripts/update-tables")
    }
  }

  @Test func `Each table is on one page, and no block has an unknown name`() throws {
    let names = try Self.pages().flatMap(\.blocks.names)
    #expect(names.sorted() == ReferenceTable.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: ReferenceTable.allCases)
  func `No cell is empty or has a line break`(table: ReferenceTable) {
    let lines = table.markdown.split(separator: "\n")
    #expect(lines.count > 10)
    for line in lines { #expect(line.hasPrefix("| ") || line.hasPrefix("|---|"), "\(line)") }
    #expect(!table.markdown.contains("|  |"))
  }

  @Test func `Text around a block stays unchanged`() throws {
    let document =
      "# A\n\n<!-- generated: b -->\nold\n<!-- end -->\nC\n<!-- generated: d -->\n<!-- end -->\n"
    let blocks = try GeneratedBlocks(parsing: document)
    #expect(blocks.names == ["b", "d"])
    #expect(blocks.document { _ in nil } == document)
    #expect(
      blocks.document { $0 == "b" ? "new\n" : nil }
        == "# A\n\n<!-- generated: b -->\nnew\n<!-- end -->\nC\n<!-- generated: d -->\n<!-- end -->\n"
    )
  }

  @Test func `A block without an end is rejected by name`() {
    #expect(throws: GeneratedBlockError(block: "b")) {
      try GeneratedBlocks(parsing: "<!-- generated: b -->\nold\n")
    }
  }
}
