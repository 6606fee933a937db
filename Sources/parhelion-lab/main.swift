import Foundation
import LaboratoryCommands
import ParhelionCommands

let status = LaboratoryTool.run(Array(CommandLine.arguments.dropFirst()), console: ProcessConsole())
exit(status.rawValue)
