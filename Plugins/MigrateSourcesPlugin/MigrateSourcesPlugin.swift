import Foundation
import PackagePlugin

/// `swift package migrate-core-data-sources`: passes the Swift files of the chosen targets to
/// `migrate-sources`.
@main
struct MigrateSourcesPlugin: CommandPlugin {
  /// The error if the tool cannot start or fails.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var extractor = ArgumentExtractor(arguments)
    let names = extractor.extractOption(named: "target")
    let targets =
      try names.isEmpty ? context.package.targets : context.package.targets(named: names)
    let modules = targets.compactMap { $0 as? SwiftSourceModuleTarget }
    guard !modules.isEmpty else {
      throw Failure(description: "there is no Swift target to migrate")
    }
    let manifest = context.package.directoryURL.appending(path: "Package.swift")
    let options = extractor.remainingArguments + ["--manifest", manifest.path]
    let tool = try context.tool(named: "migrate-sources")
    // Targets of one package may extend each other's classes, so all their files are read together.
    let files = modules.flatMap { ["--target", $0.name] + sources(of: $0, in: context.package) }
    try run(tool.url, options + files, in: context.package.directoryURL)
  }

  /// Returns the hand-written files of a target, relative to the package if they are inside it.
  private func sources(of module: SwiftSourceModuleTarget, in package: Package) -> [String] {
    let root = package.directoryURL.path + "/"
    return module.sourceFiles(withSuffix: "swift").map(\.url.path).filter {
      !$0.contains("/.build/")
    }.map {
      $0.hasPrefix(root) ? String($0.dropFirst(root.count)) : $0
    }
  }

  private func run(_ tool: URL, _ arguments: [String], in folder: URL) throws {
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(description: "migrate-sources ended with status \(process.terminationStatus)")
    }
  }
}
