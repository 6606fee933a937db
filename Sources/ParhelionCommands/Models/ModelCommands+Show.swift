import ManagedObjectModel

extension ModelCommands {
  /// The command `parhelion model show`.
  package static let show = Command(
    "model show", "Print a model: as text, as a document, or as a diagram.", operands: ["M"],
    options: [
      versionOption,
      CommandOption(
        "--format", choices: ["text", "json", "dot", "svg"],
        "The output format; by default text."),
      CommandOption("--json", "The same as --format json."),
    ],
    discussion: "\(forms) The format dot is for Graphviz, svg is a finished drawing."
  ) { invocation, console in
    let (file, version) = try version(
      invocation.operands[0], option: invocation.value(of: "--version"), console: console)
    let format = invocation.value(of: "--format") ?? (invocation.has("--json") ? "json" : "text")
    guard !invocation.has("--json") || format == "json" else {
      throw UsageError("--json and --format \(format) contradict each other.")
    }
    switch format {
    case "json": try console.writeJSON(ModelDocument(version))
    case "dot": try console.write(GraphvizText(version.model, name: version.name).text)
    case "svg": try console.write(ModelDrawing(version.model, name: version.name).svg)
    default:
      try console.write(ModelText(version, isCurrent: version.name == file.currentVersionName).text)
    }
    return .success
  }
}
