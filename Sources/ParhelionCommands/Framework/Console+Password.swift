extension Console {
  /// Reads a new password from one line of standard input.
  func newPassword(for name: String) throws -> String {
    guard let password = try readSecret(prompt: "Password for \(name): "), !password.isEmpty else {
      throw CommandError(
        "There is no password on standard input. Type it, or send it through a pipe.")
    }
    return password
  }
}
