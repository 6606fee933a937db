import LaboratoryCommands
import ParhelionCommands

let status = LaboratoryTool.run(Array(CommandLine.arguments.dropFirst()), console: ProcessConsole())
status.endProcess()
