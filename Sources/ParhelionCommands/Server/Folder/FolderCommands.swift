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
    "backup", "Back up all data of a server into a folder. The server may be running.",
    operands: ["DIR"],
    options: [
      ServerFolder.option,
      CommandOption("--prune", "Remove files from DIR that only earlier backups in it needed."),
      CommandOption(
        "--thorough",
        "Read all files in DIR, and replace corrupt ones. This takes long."),
    ],
    discussion: """
      The backup is a consistent snapshot, and does not block the server. Keep it as safe as the \
      server: it has all records. Intact files in DIR from an earlier backup are not copied again; \
      a part of them is verified each day. Move the earlier backup's store away first; after \
      --prune, it is no longer usable.
      """
  ) { invocation, console in
    let folder = ServerFolder(invocation)
    return try await folder.withStorage { engine in
      let report = try await FolderMaintenance(folder: folder, engine: engine)
        .backUp(
          to: invocation.operands[0], isPruning: invocation.has("--prune"),
          isThorough: invocation.has("--thorough"))
      for issue in report.issues { console.report(issue) }
      let files = Counted.text(report.fileCount, "file")
      try console.writeLine("\(report.path) is a backup of \(folder.path) with \(files).")
      if report.removedCount > 0 {
        let removed = Counted.text(report.removedCount, "file")
        try console.writeLine("Removed \(removed) of earlier backups.")
      }
      return report.issues.isEmpty ? .success : .failure
    }
  }

  /// `parhelion restore`.
  private static let restore = Command(
    "restore", "Restore a server from a backup. The server must not be running.", operands: ["DIR"],
    options: [
      ServerFolder.option, CommandOption("--replace", "Replace the server's present data."),
      CommandOption(
        "--accept-lost-files",
        "Restore a backup even if some of its files are missing or corrupt, and exit with 1."),
    ],
    discussion: """
      The backup is checked first: its store, and that each file that it names exists. If anything \
      fails, the server's data stays unchanged. Clients then fetch everything again.
      """
  ) { invocation, console in
    let (folder, copy) = (ServerFolder(invocation), BackupFolder(path: invocation.operands[0]))
    return try await CommandError.translating {
      let issues = try await Restoration(
        copy: copy, folder: folder, isReplacing: invocation.has("--replace"),
        acceptsLoss: invocation.has("--accept-lost-files")
      ).run()
      for issue in issues { console.report(issue.description) }
      try console.writeLine("\(folder.path) is restored from \(copy.path).")
      return issues.isEmpty ? .success : .failure
    }
  }

  /// `parhelion check`.
  private static let check = Command(
    "check", "Check all data of a server. The server may be running.",
    options: [
      ServerFolder.option,
      CommandOption(
        "--thorough", "Read all files and values, and compare indexes, which takes long."),
      SealingOptions.file, .json,
    ],
    discussion: #"Exits 1 if there are issues. With --json: {"issues": ["…"]}."#
  ) { invocation, console in
    let (folder, isThorough) = (ServerFolder(invocation), invocation.has("--thorough"))
    let sealing = try SealingOptions.source(invocation)
    return try await folder.withStorage { engine in
      let issues = try await FolderMaintenance(folder: folder, engine: engine, sealing: sealing)
        .findIssues(isThorough: isThorough)
      if invocation.has("--json") {
        try console.writeJSON(["issues": issues])
      } else {
        for issue in issues { try console.writeLine(issue) }
        if issues.isEmpty { try console.writeLine("\(folder.path) is sound.") }
      }
      return issues.isEmpty ? .success : .failure
    }
  }
}
