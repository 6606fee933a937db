extension Command {
  /// A command whose work waits: for sockets, storages and signals.
  ///
  /// - Parameter work: Runs on other threads while the caller's waits.
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
