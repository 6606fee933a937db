import Foundation
import PackagePlugin

/// Generates, for a target, the classes of its data models, their registration at load, the
/// compiled models, the accessors of `@NSManaged` members, and aliases for the names that both
/// Foundation and CoreData have.
///
/// Each model is compiled by a command of its own, and the target's sources are scanned by another
/// one. So a change of a source file compiles no model, and a change of one model compiles only
/// that one. The tool leaves a file that would not change untouched, so that nothing that depends
/// on it is built again.
@main
struct ManagedObjectModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else {
      Diagnostics.error(
        "\(target.name) is not a Swift target, so no classes can be generated for its data models.")
      return []
    }
    let models = try DataModel.all(in: target.directoryURL)
    let sources = target.sourceFiles.filter {
      $0.type == .source && $0.url.pathExtension == "swift"
    }.map(\.url)
    guard !models.isEmpty || sources.contains(where: usesCoreData) else { return [] }
    let build = TargetBuild(
      tool: try context.tool(named: "modelc").url, module: target.moduleName,
      folder: context.pluginWorkDirectoryURL,
      models: models, sources: sources.sorted { $0.path < $1.path })
    return models.map(build.command(for:)) + [build.commandForTarget()]
  }

  /// Whether a file has managed members, or sees names that both Foundation and CoreData have.
  private func usesCoreData(_ source: URL) -> Bool {
    guard let text = try? String(contentsOf: source, encoding: .utf8) else { return false }
    return text.contains("@NSManaged")
      || text.contains(/\bimport (class |struct |typealias )?CoreData\b/)
  }
}

/// The commands of one target.
private struct TargetBuild {
  let tool: URL
  let module: String
  let folder: URL
  let models: [DataModel]
  let sources: [URL]

  func command(for model: DataModel) -> Command {
    let classes = folder.appending(path: "\(model.name)+Classes.swift")
    var outputs = [classes]
    var arguments = [model.url.path, "--module", module, "--output-swift", classes.path]
    // On a Mac, Xcode compiles the model itself and puts it into the bundle.
    #if !os(macOS)
    let compiled = folder.appending(path: model.compiledName)
    outputs.append(compiled)
    arguments += ["--output-momd", compiled.path]
    #endif
    return .buildCommand(
      displayName: "Compiling data model \(model.url.lastPathComponent)", executable: tool,
      arguments: arguments,
      inputFiles: model.files, outputFiles: outputs)
  }

  func commandForTarget() -> Command {
    let support = folder.appending(path: "\(module)+ManagedObjects.swift")
    return .buildCommand(
      displayName: "Generating managed object support for \(module)", executable: tool,
      arguments: models.map(\.url.path) + [
        "--module", module, "--output-support", support.path, "--sources",
      ]
        + sources.map(\.path),
      inputFiles: models.flatMap(\.files) + sources, outputFiles: [support])
  }
}
