import Foundation
import ParhelionCommands

let status = ParhelionTool.run(Array(CommandLine.arguments.dropFirst()), console: ProcessConsole())
// Without the C libraries' cleanup, which threads that still run do not survive.
fflush(nil)
_exit(status.rawValue)
