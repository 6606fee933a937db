import Foundation

/// The built programs, next to the test program.
enum Programs {
  /// The shipped tool, which passes the laboratory's commands on.
  static let parhelion = folder.appendingPathComponent("parhelion")
  /// The program with the laboratory's commands.
  static let laboratory = folder.appendingPathComponent("parhelion-lab")

  private static let folder = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent()
}
