import ManagedObjectModel

extension ModelCommands {
  /// The command `parhelion model diff`.
  package static let diff = Command(
    "model diff", "Show the changes from one model to another, and whether stores can be migrated.",
    operands: ["A", "[B]"],
    options: [
      CommandOption("--from", value: "NAME", "The version of A to start from."),
      CommandOption(
        "--to", value: "NAME", "The version of B, or of A without B, to end at."),
      CommandOption("--check", "Exit with status 1 if a lightweight migration is not possible."),
      .json,
    ],
    discussion: """
      A and B are models in any form; A#NAME is the version NAME of A. Without B, two versions of \
      A are compared. Changes marked [hash] make stores of A incompatible until they are migrated.
      """
  ) { invocation, console in
    let (before, after) = try versionsToCompare(invocation, console)
    let difference = ModelDifference(from: before.version.model, to: after.version.model)
    if invocation.has("--json") {
      try console.writeJSON(DifferenceDocument(difference))
    } else {
      try console.write(
        DifferenceText(difference, from: before.version.name, to: after.version.name).text)
    }
    return invocation.has("--check") && difference.verdict == .custom ? .failure : .success
  }

  private typealias Named = (file: ModelFile, version: ModelFile.Version)

  private static func versionsToCompare(
    _ invocation: Invocation, _ console: any Console
  ) throws -> (before: Named, after: Named) {
    let (from, to) = (invocation.value(of: "--from"), invocation.value(of: "--to"))
    let first = try version(invocation.operands[0], option: from, console: console)
    if invocation.operands.count > 1 {
      return (first, try version(invocation.operands[1], option: to, console: console))
    }
    guard from != nil || to != nil else {
      throw UsageError("Without B, --from or --to must name a version of A.")
    }
    return (first, (first.file, try first.file.version(named: to)))
  }
}

/// The differences in words.
struct DifferenceText {
  let difference: ModelDifference
  let before: String
  let after: String

  init(_ difference: ModelDifference, from before: String, to after: String) {
    self.difference = difference
    self.before = before
    self.after = after
  }

  var text: String {
    var text = "\(before) → \(after)\n"
    var entity: String?
    for change in difference.changes {
      if change.entity != entity || text.hasSuffix("→ \(after)\n") {
        entity = change.entity
        text += "\n\(entity ?? "Model")\n"
      }
      text += "  \(line(change))\n"
      if let reason = change.nonLightweightReason { text += "    not lightweight: \(reason)\n" }
    }
    return text + "\n\(conclusion)\n"
  }

  private func line(_ change: ModelDifference.Change) -> String {
    let subject = change.property.map { "\($0): " } ?? ""
    let values: String =
      switch (change.before, change.after) {
      case (let before?, let after?): " \(before) → \(after)"
      case (let before?, nil): " (\(before))"
      case (nil, let after?): " (\(after))"
      case (nil, nil): ""
      }
    return subject + change.kind.rawValue + values + (change.affectsHash ? "  [hash]" : "")
  }

  private var conclusion: String {
    switch difference.verdict {
    case .identical: "The models do not differ."
    case .compatible: "The version hashes are the same: stores open without a migration."
    case .lightweight: "A lightweight migration can do this."
    case .custom:
      "A lightweight migration cannot do this: \(difference.nonLightweightChanges.count) of \(difference.changes.count) changes need a mapping or a migration stage of your own."
    }
  }
}

/// The differences as a JSON document.
private struct DifferenceDocument: Encodable {
  struct Change: Encodable {
    let kind: String
    let entity, property, before, after, nonLightweightReason: String?
    let affectsHash: Bool
  }

  let verdict: String
  let changesHashes: Bool
  let entitiesWithChangedHashes: [String]
  let changes: [Change]

  init(_ difference: ModelDifference) {
    verdict = difference.verdict.rawValue
    changesHashes = difference.changesHashes
    entitiesWithChangedHashes = difference.entitiesWithChangedHashes
    changes = difference.changes.map {
      Change(
        kind: $0.kind.rawValue, entity: $0.entity, property: $0.property, before: $0.before,
        after: $0.after,
        nonLightweightReason: $0.nonLightweightReason, affectsHash: $0.affectsHash)
    }
  }
}
