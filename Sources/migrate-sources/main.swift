import Foundation
import SourceMigration

let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
let isColoured =
  isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
let console = Console(
  write: { FileHandle.standardOutput.write(Data($0.utf8)) },
  writeError: { FileHandle.standardError.write(Data($0.utf8)) },
  ask: isInteractive ? { readLine() } : nil,
  isColoured: isColoured)
let status = MigrationCommand(console: console).run(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)
