import Foundation

/// The public symbols of compiled modules, as the toolchain's symbol-graph extractor reads them.
struct PublicSymbols {
  private(set) var available: Set<String> = []
  private var aliases: [(name: String, type: String)] = []

  /// Reads the public symbols of one module of the package or the toolchain.
  init(ofModule module: String) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("parity-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.extractGraphs(of: module, into: folder)
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      for symbol in try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols {
        insert(symbol)
        if let alias = symbol.alias { aliases.append(alias) }
      }
    }
    for alias in aliases { available.formUnion(Self.renamed(available, alias)) }
  }

  /// The members of a type under its alias: `CKRecord.ID.recordName` is `CKRecordID.recordName`.
  private static func renamed(_ symbols: Set<String>, _ alias: (name: String, type: String))
    -> [String]
  {
    symbols.filter { $0.hasPrefix(alias.type + ".") }.map {
      alias.name + $0.dropFirst(alias.type.count)
    }
  }

  private mutating func insert(_ symbol: Graph.Symbol) {
    available.insert(symbol.pathComponents.joined(separator: "."))
  }

  private static func extractGraphs(of module: String, into folder: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public"]
      + [
        "-skip-inherited-docs", "-target", "\(architecture)-unknown-linux-gnu", "-output-dir",
        folder.path,
      ]
      + (try searchPaths())
    let messages = Pipe()
    process.standardError = messages
    try process.run()
    let text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ExtractionError(module: module, message: text)
    }
  }

  /// The folders with the modules of this test's build.
  private static func searchPaths() throws -> [String] {
    let bundle = try CommandLine.arguments.first { $0.contains(".xctest") }
      .map { URL(fileURLWithPath: $0) }.orThrow(
        ExtractionError(module: "", message: "not run from a test bundle"))
    var folder = bundle
    while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
    return ["-I", folder.appendingPathComponent("Modules").path]
      + (try moduleMaps(below: folder)).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  /// The module maps of the system libraries and of our C modules.
  ///
  /// Folders that end in `-tool` contain the latter again for the build tools.
  private static func moduleMaps(below folder: URL) throws -> [String] {
    let sources = try FileManager.default.contentsOfDirectory(
      at: checkout.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
    let created = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build") }
    return (sources + created).filter { $0.lastPathComponent.hasPrefix("C") }
      .map { $0.appendingPathComponent("module.modulemap").path }
      .filter(FileManager.default.fileExists(atPath:)).sorted()
  }

  static let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static var architecture: String {
    #if arch(arm64)
    "aarch64"
    #else
    "x86_64"
    #endif
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }
      struct Fragment: Decodable { let kind, spelling: String }
      let pathComponents: [String]
      let kind: Kind
      let declarationFragments: [Fragment]?

      /// Both names if the symbol is a type alias.
      var alias: (name: String, type: String)? {
        guard kind.identifier == "swift.typealias",
          let type = declarationFragments?.last(where: { $0.kind == "typeIdentifier" })
        else { return nil }
        return (pathComponents.joined(separator: "."), type.spelling)
      }
    }
    let symbols: [Symbol]
  }
}

struct ExtractionError: Error {
  let module: String
  let message: String
}

extension Optional {
  fileprivate func orThrow(_ error: any Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
