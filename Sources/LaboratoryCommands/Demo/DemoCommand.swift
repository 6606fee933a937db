import Dispatch
import Foundation
package import ParhelionCommands

/// The command `parhelion demo`.
package enum DemoCommand {
  package static let command = Command(
    "demo", "Demonstrate a server and two devices that stay in sync.",
    options: [
      CommandOption("--plain", "Print plain lines even on a terminal."),
      CommandOption("--quick", "Do not pause for viewers at a terminal."),
      .json,
    ],
    discussion: """
      The tool starts `parhelion serve` with a temporary folder, and two devices of one account, \
      each with a mirrored store. They add, change and delete notes, also offline; a long value \
      becomes a file; one device loses its store; the server is killed while both send. Exits 0 if \
      both devices have the same content as the server, and 1 otherwise, with the differences. \
      A terminal shows both devices side by side. With --json it prints only the summary. When it \
      ends, it stops all processes and removes their folders.
      """
  ) { invocation, console in
    let style = style(invocation, console)
    let player = DemoPlayer(
      executable: try SiblingProgram.parhelion.path(), DemoSizes(), DemoScreen(console, style),
      pace: style == .drawn && !invocation.has("--quick") ? .watched : .none)
    let signals = interrupts(player.stop)
    let summary = await player.play()
    for signal in signals { signal.cancel() }
    if invocation.has("--json") {
      try console.writeJSON(summary)
    } else {
      for line in summary.lines { try console.writeLine(line) }
    }
    return summary.isGood ? .success : .failure
  }

  private static func style(_ invocation: Invocation, _ console: any Console) -> DemoScreen.Style {
    if invocation.has("--json") { return .silent }
    return console.isTerminal && !invocation.has("--plain") ? .drawn : .lines
  }

  /// Calls `stop` with the name of each signal that would end the program.
  private static func interrupts(_ stop: @escaping @Sendable (String) -> Void)
    -> [any DispatchSourceSignal]
  {
    let queue = DispatchQueue(label: "parhelion.demo.signals")
    return [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")].map { number, name in
      signalSource(number, on: queue) { stop(name) }
    }
  }
}
