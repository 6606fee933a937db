extension Command {
  /// Creates a command with asynchronous work.
  ///
  /// - Parameter work: Runs on other threads while the calling thread waits.
  package init(
    _ path: String, _ summary: String, operands: [String] = [], options: [CommandOption] = [],
    discussion: String = "",
    work: @escaping @Sendable (Invocation, any Console) async throws -> CommandStatus
  ) {
    self.init(path, summary, operands: operands, options: options, discussion: discussion) {
      invocation, console in
      try waiting { try await work(invocation, console) }
    }
  }
}
