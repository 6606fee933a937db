import AssetStorage
import Foundation
import RecordServer
import RecordServerHTTP
import SQLiteRecordStorage

/// The commands for all of a server's data: its store, and the files of its records.
enum FolderCommands {
  static let all = [backup, restore, check]

  /// `parhelion backup`.
  private static let backup = Command(
    "backup", "Copy all that a server keeps, while it runs, into a folder.", operands: ["DIR"],
    options: [
      ServerFolder.option,
      CommandOption("--prune", "Remove files from DIR that only earlier copies in it needed."),
      CommandOption(
        "--thorough",
        "Read all files that DIR has, and copy anew what has gone bad, which takes long."),
    ],
    discussion: """
      The copy is one state of everything. Nobody waits for it. Keep it as safe as the server: it has all records. Files that DIR has from an \
      earlier copy are not copied again where they are sound, which is seen of some of them each day; its copy of the store has to be moved away first, and is worth nothing any more with --prune.
      """
  ) { invocation, console in
    let folder = ServerFolder(invocation)
    return try await folder.withStorage { engine in
      let report = try await FolderMaintenance(folder: folder, engine: engine)
        .backUp(
          to: invocation.operands[0], isPruning: invocation.has("--prune"),
          isThorough: invocation.has("--thorough"))
      for problem in report.problems { console.report(problem) }
      try console.writeLine(
        "\(report.path) has a copy of \(folder.path) with \(report.fileCount) files.")
      if report.removedCount > 0 {
        try console.writeLine("\(report.removedCount) files of earlier copies were removed.")
      }
      return report.problems.isEmpty ? .success : .failure
    }
  }

  /// `parhelion restore`.
  private static let restore = Command(
    "restore", "Make a server what a backup is. The server must not run.", operands: ["DIR"],
    options: [
      ServerFolder.option, CommandOption("--replace", "Replace what the server has now."),
      CommandOption(
        "--accept-lost-files",
        "Restore a backup that has not all of its files, or not as they were."),
    ],
    discussion: """
      The backup is checked first: its store, and that each file that it names is there. Where anything fails, the server has what it had \
      before. Clients fetch everything anew.
      """
  ) { invocation, console in
    let (folder, copy) = (ServerFolder(invocation), BackupFolder(path: invocation.operands[0]))
    return try await CommandError.translating {
      let problems = try await Restoration(
        copy: copy, folder: folder, isReplacing: invocation.has("--replace"),
        acceptsLoss: invocation.has("--accept-lost-files")
      ).run()
      for problem in problems { console.report(problem.description) }
      try console.writeLine("\(folder.path) has what \(copy.path) has.")
      return problems.isEmpty ? .success : .failure
    }
  }

  /// `parhelion check`.
  private static let check = Command(
    "check", "Look for damage in what a server keeps, while it runs.",
    options: [
      ServerFolder.option,
      CommandOption(
        "--thorough", "Read all files and values, and compare indexes, which takes long."),
      SealingOptions.file, .json,
    ],
    discussion: #"Exits 1 where something is wrong. With --json: {"problems": ["…"]}."#
  ) { invocation, console in
    let (folder, isThorough) = (ServerFolder(invocation), invocation.has("--thorough"))
    let sealing = try SealingOptions.source(invocation)
    return try await folder.withStorage { engine in
      let problems = try await FolderMaintenance(folder: folder, engine: engine, sealing: sealing)
        .findProblems(isThorough: isThorough)
      if invocation.has("--json") {
        try console.writeJSON(["problems": problems])
      } else {
        for problem in problems { try console.writeLine(problem) }
        if problems.isEmpty { try console.writeLine("\(folder.path) is sound.") }
      }
      return problems.isEmpty ? .success : .failure
    }
  }
}
