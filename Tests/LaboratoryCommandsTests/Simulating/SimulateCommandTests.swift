import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite("The simulate command", .blockingThreads, .serialized, .endsAtAll)
struct SimulateCommandTests {
  private func run(_ arguments: String...) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = LaboratoryTool.run(["simulate"] + arguments, console: console)
    return (status, console.result, console.messages)
  }

  @Test func `Successful worlds are counted`() {
    let outcome = run(
      "--seed", "3", "--runs", "2", "--workload", "addDelete", "--faults", "network,crash")
    #expect(outcome.status == .success)
    #expect(outcome.result == "2 runs, 120 steps, 0 violations.\n")
    #expect(outcome.messages.isEmpty)
  }

  @Test func `A failing world is reported with its seed and fails the command`() throws {
    let broken = [
      "--workload", "addDelete", "--faults", "none", "--broken", "loseRecord", "--runs", "1",
    ]
    let outcome = run(
      "--seed", "1", broken[0], broken[1], broken[2], broken[3], broken[4], broken[5])
    #expect(outcome.status == .failure)
    #expect(
      outcome.messages.hasPrefix("seed 1, workload addDelete, faults none, the server has files\n"))
    #expect(outcome.messages.contains("VIOLATION"))
    let reported = run("--json", broken[0], broken[1], broken[2], broken[3], broken[4], broken[5])
    #expect(reported.status == .failure && reported.messages.isEmpty)
    let document =
      try JSONSerialization.jsonObject(with: Data(reported.result.utf8)) as? [String: Any]
    let failures = try #require(document?["failures"] as? [[String: Any]])
    #expect(failures.first?["seed"] as? Int == 1)
    #expect((failures.first?["trace"] as? [String])?.isEmpty == false)
  }

  @Test func `A trace has every step and is repeatable`() {
    let one = run("--seed", "5", "--workload", "contributions", "--faults", "none", "--trace")
    let other = run("--seed", "5", "--workload", "contributions", "--faults", "none", "--trace")
    #expect(one.status == .success)
    #expect(one.result == other.result)
    #expect(one.result.split(separator: "\n").count > 60)
  }

  @Test(arguments: [
    (
      ["--faults", "storms"],
      "--faults cannot be \"storms\": there are all, harmless, none, network,"
    ),
    (["--seed", "-1"], "--seed needs a non-negative number, not \"-1\"."),
    (["--runs", "many"], "--runs needs a non-negative number, not \"many\"."),
    (["--workload", "nothing"], "one of addDelete"),
  ])
  func `A usage error names the option and its values`(arguments: [String], words: String) {
    let console = RecordingConsole()
    #expect(LaboratoryTool.run(["simulate"] + arguments, console: console) == .usage)
    #expect(console.messages.contains(words), "\(console.messages)")
  }
}
