import Foundation
import PackagePlugin

/// Compiles a target's data models and mapping models, and generates the target's Core Data code.
///
/// The code consists of classes, the registration of the models, accessors of `@NSManaged` members,
/// and aliases for names that Foundation and CoreData share.
///
/// Each model has its own command, and another command scans the target's sources, so a change of
/// a source file recompiles no model. The tool does not touch a file whose contents stay the same,
/// so dependent files are not rebuilt.
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
    // On a Mac, Xcode compiles the mapping models and adds them to the bundle.
    #if os(macOS)
    let mappings: [Command] = []
    #else
    let mappings = try DataModel.mappings(in: target.directoryURL).map(build.command(forMapping:))
    #endif
    return models.map(build.command(for:)) + mappings + [build.commandForTarget()]
  }

  /// Returns whether a file contains `@NSManaged` or imports CoreData.
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
    // On a Mac, Xcode compiles the model and adds it to the bundle.
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

  /// Returns the command for a mapping model between versions of one of the models.
  func command(forMapping mapping: DataModel) -> Command {
    let compiled = folder.appending(path: "\(mapping.name).cdm")
    return .buildCommand(
      displayName: "Compiling mapping model \(mapping.url.lastPathComponent)", executable: tool,
      arguments: models.map(\.url.path) + [
        "--module", module, "--mapping", mapping.url.path, "--output-mapping", compiled.path,
      ],
      inputFiles: mapping.files + models.flatMap(\.files), outputFiles: [compiled])
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
