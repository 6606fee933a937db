import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite struct `The laboratory's commands` {
  @Test func `Every help text fits in eighty columns`() {
    for command in LaboratoryTool.commands {
      let outcome = Commands.run(command.path + ["--help"])
      #expect(outcome.status == .success)
      let words = outcome.result.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(command.summary) && command.summary.hasSuffix("."))
      #expect(outcome.result.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(outcome)")
      for choice in command.options.flatMap(\.choices) { #expect(outcome.result.contains(choice)) }
    }
  }

  @Test func `parhelion forwards exactly the commands that its help lists`() {
    let words = Set(LaboratoryTool.commands.filter { !$0.isHidden }.compactMap(\.path.first))
    let passedOn = ParhelionTool.commands.filter { $0.program != nil }
    #expect(Set(passedOn.compactMap(\.path.first)) == words)
    #expect(passedOn.allSatisfy { $0.program?.name == Programs.laboratory.lastPathComponent })
  }

  @Test func `parhelion simulate runs the worlds of parhelion-lab`() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = Programs.parhelion
    process.arguments = ["simulate", "--seed", "3", "--workload", "addDelete", "--faults", "none"]
    process.standardOutput = output
    try process.run()
    let result = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: result, as: UTF8.self) == "1 run, 60 steps, 0 violations.\n")
  }
}
