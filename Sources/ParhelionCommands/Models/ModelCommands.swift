import ManagedObjectModel

/// The commands about models.
package enum ModelCommands {
  static let versionOption = CommandOption(
    "--version", value: "NAME", "The version to take instead of the current one.")

  /// The accepted forms of a model, for the help of commands.
  static let forms =
    "M is an .xcdatamodeld, .xcdatamodel, .momd or .mom. M#NAME is its version NAME."

  /// Finds the version that an operand and the option `--version` name.
  static func version(
    _ operand: String, option: String?, console: any Console
  ) throws -> (file: ModelFile, version: ModelFile.Version) {
    let reference = ModelReference(operand)
    let file = try ModelFile.read(reference.path, console: console)
    return (file, try file.version(named: option ?? reference.version))
  }
}

extension NSManagedObjectModel {
  /// The entities, sorted by name.
  var sortedEntities: [NSEntityDescription] {
    entities.sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
  }
}
