import SystemFiles

/// A file that an argument of a command names.
struct NamedFile: CustomStringConvertible {
  let path: String
  /// The option with the path; nil for an operand.
  let option: String?

  init(_ path: String, of option: String? = nil) {
    self.path = path
    self.option = option
  }

  /// The option and the path, with which error messages begin.
  var description: String { option.map { "\($0): \(path)" } ?? path }

  /// Reads the whole file.
  ///
  /// - Throws: An error with the system's reason.
  func bytes() throws(CommandError) -> [UInt8] {
    do throws(SystemFailure) {
      return try FileDescriptor(path, for: .input).readAll()
    } catch {
      throw CommandError(
        error.isMissing
          ? "\(self) does not exist." : "\(self) cannot be read: \(error.reason).")
    }
  }

  /// Reads the whole file as text.
  func text() throws(CommandError) -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else {
      throw CommandError("\(self) is not a text in UTF-8.")
    }
    return text
  }
}
