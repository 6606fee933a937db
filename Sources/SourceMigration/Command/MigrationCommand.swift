/// The command `migrate-sources`: shows the diff, asks, writes.
package struct MigrationCommand {
  /// The exit status of the process.
  package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// A file could not be read, parsed or written, or `--check` found changes.
    case failure = 1
    case usage = 64
  }

  private let console: Console

  package init(console: Console) {
    self.console = console
  }

  /// Runs the command with its arguments.
  package func run(_ words: [String]) -> ExitStatus {
    do throws(MigrationArguments.UsageError) {
      let arguments = try MigrationArguments(words)
      guard arguments.action != .help else {
        console.write(MigrationArguments.usage)
        return .success
      }
      return migrate(arguments)
    } catch {
      console.writeError("migrate-sources: \(error.message)\n\(MigrationArguments.usage)")
      return .usage
    }
  }

  private func migrate(_ arguments: MigrationArguments) -> ExitStatus {
    let (files, areAllRead) = readFiles(of: arguments)
    let plan = SourceMigrator(options: arguments.options).plan(for: files)
    show(plan, of: files)
    let isSound = areAllRead && !plan.diagnostics.contains { $0.severity == .error }
    guard !plan.changes.isEmpty else { return isSound ? .success : .failure }
    switch arguments.action {
    case .apply:
      return apply(plan) && isSound ? .success : .failure
    case .ask where console.ask != nil:
      let isWritten = isAgreed() ? apply(plan) : true
      return isWritten && isSound ? .success : .failure
    case .check:
      return .failure
    case .ask, .show, .help:
      console.writeError("Nothing is written yet: run the command again with --apply.\n")
      return isSound ? .success : .failure
    }
  }

  private func readFiles(of arguments: MigrationArguments) -> (
    files: [SourceFile], areAllRead: Bool
  ) {
    var files: [SourceFile] = []
    var seen: Set<String> = []
    var areAllRead = true
    let manifest = arguments.manifest.flatMap { manifest -> PackageManifest? in
      do throws(SourceFolder.FileError) {
        if let read = PackageManifest(try SourceFolder.read(manifest).text) { return read }
        console.writeError(
          "The manifest \(manifest) cannot be read: it is not a complete Swift source file.\n")
        areAllRead = false
        return nil
      } catch {
        console.writeError(error.message + "\n")
        areAllRead = false
        return nil
      }
    }
    for path in arguments.paths {
      let isSwift6 =
        arguments.hasLanguageMode ? nil : path.target.flatMap { manifest?.isSwift6(target: $0) }
      let hasPlugin =
        arguments.options.importsPredicateNames
        ? nil : path.target.flatMap { manifest?.usesModelPlugin(target: $0) }
      do throws(SourceFolder.FileError) {
        for name in try SourceFolder.files(at: path.path) where seen.insert(name).inserted {
          files.append(
            SourceFile(
              path: name, text: try SourceFolder.read(name).text, isSwift6Mode: isSwift6,
              importsPredicateNames: hasPlugin.map { !$0 }))
        }
      } catch {
        console.writeError(error.message + "\n")
        areAllRead = false
      }
    }
    return (files, areAllRead)
  }

  private func show(_ plan: MigrationPlan, of files: [SourceFile]) {
    var counts = (removed: 0, added: 0)
    for change in plan.changes {
      let diff = UnifiedDiff(path: change.file.path, from: change.file.text, to: change.migrated)
      console.write(diff.rendered(inColour: console.isColoured))
      counts = (counts.removed + diff.counts.removed, counts.added + diff.counts.added)
    }
    for diagnostic in plan.diagnostics { console.writeError("\(diagnostic)\n") }
    let byHand = plan.diagnostics.count { $0.severity == .warning }
    console.writeError(
      "\(plan.changes.count) of \(files.count) files change (\(counts.added) lines added, \(counts.removed) removed); "
        + "\(byHand) places need a change by hand.\n")
  }

  private func isAgreed() -> Bool {
    console.writeError("Write these changes? [y/N] ")
    return ["y", "yes"].contains(console.ask?()?.lowercased() ?? "")
  }

  private func apply(_ plan: MigrationPlan) -> Bool {
    var isWritten = true
    for change in plan.changes {
      do throws(SourceFolder.FileError) {
        try SourceFolder.write(change)
        console.writeError("changed \(change.file.path)\n")
      } catch {
        console.writeError(error.message + "\n")
        isWritten = false
      }
    }
    return isWritten
  }
}
