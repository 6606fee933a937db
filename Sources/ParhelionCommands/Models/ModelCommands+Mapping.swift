import Foundation
import ManagedObjectModel
import ModelSource

extension ModelCommands {
  /// The command `parhelion model mapping`.
  package static let mapping = Command(
    "model mapping", "Compile a mapping model into the form that applications load.",
    operands: ["X", "M"],
    options: [
      CommandOption("--from", value: "NAME", "The version of M to migrate from."),
      CommandOption("--to", value: "NAME", "The version of M to migrate to."),
      CommandOption(
        "--output", short: "-o", value: "DIR",
        "The folder to write into; by default the current one."),
      .json,
    ],
    discussion: """
      X is an .xcmappingmodel, and M the model whose versions it maps. Without --from and --to, X \
      names the versions. The result is a .cdm file; add it to the resources of a target. With \
      --json: {"output": "path"}.
      """
  ) { invocation, console in
    let mapping = try source(invocation.operands[0])
    let file = try ModelFile.read(invocation.operands[1], console: console)
    let before = try file.version(
      named: invocation.value(of: "--from") ?? mapping.sourceVersionName)
    let after = try file.version(
      named: invocation.value(of: "--to") ?? mapping.destinationVersionName)
    let folder = URL(fileURLWithPath: invocation.value(of: "--output") ?? ".", isDirectory: true)
    let output = folder.appendingPathComponent("\(mapping.name).cdm")
    try write(compiled(mapping, from: before.model, to: after.model), to: output)
    if invocation.has("--json") {
      try console.writeJSON(["output": output.path])
    } else {
      try console.writeLine(output.path)
    }
    return .success
  }

  private static func source(_ path: String) throws(CommandError) -> MappingSource {
    do throws(ModelSourceError) {
      return try MappingSource(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw CommandError("The mapping model cannot be used.\n\(error.message)")
    }
  }

  private static func compiled(
    _ source: MappingSource, from before: NSManagedObjectModel, to after: NSManagedObjectModel
  ) throws -> Data {
    let mapping: NSMappingModel
    do throws(ModelSourceError) {
      mapping = try source.mapping(from: before, to: after)
    } catch {
      throw CommandError("The mapping model cannot be used.\n\(error.message)")
    }
    return try CompiledMapping.write(mapping)
  }

  private static func write(_ data: Data, to output: URL) throws(CommandError) {
    try CommandError.writing(output.path) {
      try FileManager.default.createDirectory(
        at: output.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: output, options: .atomic)
    }
  }
}
