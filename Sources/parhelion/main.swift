import ParhelionCommands

let status = ParhelionTool.run(Array(CommandLine.arguments.dropFirst()), console: ProcessConsole())
status.endProcess()
