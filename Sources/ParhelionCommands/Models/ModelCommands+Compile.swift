import Foundation
import ManagedObjectModel

extension ModelCommands {
  /// The command `parhelion model compile`.
  package static let compile = Command(
    "model compile", "Compile a model into the form that applications load.", operands: ["M"],
    options: [
      CommandOption(
        "--output", short: "-o", value: "DIR",
        "The folder to write into; by default the current one."),
      .json,
    ],
    discussion: """
      An .xcdatamodeld becomes a .momd folder with all versions, an .xcdatamodel a .mom file. An \
      existing result is replaced. With --json: {"output": "path"}. Class names such as .Car, in \
      the module of the application, stay unchanged.
      """
  ) { invocation, console in
    let file = try ModelFile.read(invocation.operands[0], console: console)
    let folder = URL(fileURLWithPath: invocation.value(of: "--output") ?? ".", isDirectory: true)
    let output = folder.appendingPathComponent("\(file.name).\(file.isVersioned ? "momd" : "mom")")
    try CommandError.writing(output.path) { try write(file, to: output) }
    if invocation.has("--json") {
      try console.writeJSON(["output": output.path])
    } else {
      try console.writeLine(output.path)
    }
    return .success
  }

  /// Writes under a temporary name first, so that a failed write leaves the old output.
  private static func write(_ file: ModelFile, to output: URL) throws {
    let manager = FileManager.default
    guard URL(fileURLWithPath: file.path).standardizedFileURL != output.standardizedFileURL else {
      throw CommandError("It is the model itself. Choose another folder with --output.")
    }
    try manager.createDirectory(
      at: output.deletingLastPathComponent(), withIntermediateDirectories: true)
    let draft = output.deletingLastPathComponent().appendingPathComponent(
      ".\(output.lastPathComponent)-\(UUID().uuidString)")
    defer { try? manager.removeItem(at: draft) }
    if file.isVersioned {
      try CompiledModel.writeBundle(
        versions: file.versions.map { ($0.name, $0.model) }, current: file.currentVersionName,
        to: draft)
    } else {
      try CompiledModel.write(file.version(named: nil).model).write(to: draft)
    }
    if manager.fileExists(atPath: output.path) { try manager.removeItem(at: output) }
    try manager.moveItem(at: draft, to: output)
  }
}
