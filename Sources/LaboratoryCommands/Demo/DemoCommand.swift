import Dispatch
import Foundation
package import ParhelionCommands

/// `parhelion demo`.
package enum DemoCommand {
  /// The command.
  package static let command = Command(
    "demo", "Show a server and two devices that keep themselves alike.",
    options: [
      CommandOption(
        "--terminal",
        "Draw both devices side by side, in place, which is the usual; lines where there is no terminal."
      ),
      CommandOption("--plain", "Print lines, for logs."),
      CommandOption("--quick", "Do not wait at a terminal for somebody to read along."),
      .json,
    ],
    discussion: """
      The tool starts `parhelion serve` on a temporary folder, and two devices of one account, each with a store of its own that is \
      mirrored with the server. They add, change and delete, offline too; a long value becomes a file; one loses its store; the server is \
      killed while they send. Exits 0 when both devices have what a plain client sees on the server, and 1 otherwise, with what differs. \
      With --json it prints nothing but the summary. All processes and folders go with it.
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

  /// Observes the signals that end programs.
  private static func interrupts(_ stop: @escaping @Sendable (String) -> Void)
    -> [any DispatchSourceSignal]
  {
    let queue = DispatchQueue(label: "parhelion.demo.signals")
    return [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")].map { number, name in
      signalSource(number, on: queue) { stop(name) }
    }
  }
}
