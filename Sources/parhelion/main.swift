import Foundation
import ParhelionCommands

let status = ParhelionTool.run(Array(CommandLine.arguments.dropFirst()), console: ProcessConsole())
exit(status.rawValue)
