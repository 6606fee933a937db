import Foundation
import Testing

@Suite struct `The parity table` {
  private static let page = PublicSymbols.checkout.appendingPathComponent("Documentation/Parity.md")

  private static func tableOfTheCode() throws -> ParityTable {
    let listFile = PublicSymbols.checkout.appendingPathComponent("Documentation/Parity.symbols")
    let list = try ParityList(parsing: String(contentsOf: listFile, encoding: .utf8))
    let modules = [
      "PredicateLanguage", "ManagedObjectModel", "ObjectRows", "ManagedObjects", "CloudKitClient",
      "CloudSyncEngine",
      "CloudMirroring",
    ]
    return try ParityTable(
      list: list, ours: modules.map(PublicSymbols.init(ofModule:)),
      foundation: PublicSymbols(ofModule: "Foundation"))
  }

  @Test func `The page agrees with the code`() throws {
    let created = try Self.tableOfTheCode().markdown
    if ProcessInfo.processInfo.environment["PARHELION_WRITE_PARITY"] != nil {
      try Data(created.utf8).write(to: Self.page)
    }
    let isUpToDate = try String(contentsOf: Self.page, encoding: .utf8) == created
    #expect(isUpToDate, "Documentation/Parity.md is out of date: run Scripts/update-parity")
  }

  @Test func `A symbol listed as partly done exists`() throws {
    let rows = try Self.tableOfTheCode().sections.flatMap(\.rows)
    let missing = rows.filter {
      $0.entry.gap != nil && ![.partly, .unavailable].contains($0.state)
    }
    .map(\.entry.name)
    #expect(missing.isEmpty, "Parity.symbols gives a gap for symbols that do not exist")
    let existing = rows.filter { $0.entry.isRefused && $0.state != .unavailable }.map(\.entry.name)
    #expect(
      existing.isEmpty, "Parity.symbols marks these symbols as unavailable, but they exist")
  }

  @Test func `No symbol is listed twice`() throws {
    let names = try Self.tableOfTheCode().sections.flatMap(\.rows).map(\.entry.name)
    let repeated = Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys
      .sorted()
    #expect(repeated.isEmpty)
  }

  @Test func `A line has the type and each of its members`() throws {
    let list = try ParityList(parsing: "## One\nA: b; c(d:) -- no d; !e -- why\nE\n")
    #expect(list.sections.map(\.title) == ["One"])
    #expect(list.sections[0].entries.map(\.name) == ["A", "A.b", "A.c(d:)", "A.e", "E"])
    #expect(list.sections[0].entries.map(\.gap) == [nil, nil, "no d", "why", nil])
    #expect(list.sections[0].entries.map(\.isRefused) == [false, false, false, true, false])
  }

  @Test func `A symbol before any section is refused with its line`() {
    #expect { try ParityList(parsing: "\nA: b\n") } throws: { ($0 as? ParityListError)?.line == 2 }
  }
}
