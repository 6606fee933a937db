import CloudRecords
import Foundation
import RecordServer

/// The options for the keys of encrypted values.
enum SealingOptions {
  static let file = CommandOption(
    "--sealing-key-file", value: "FILE",
    "The keys that seal encrypted values, which no backup contains; by default a key in the store.")

  static let acceptsLoss = CommandOption(
    "--accept-lost-sealing-key",
    "Start although a sealing key is lost. Values sealed under it cannot be read until it is found."
  )

  static func source(_ invocation: Invocation) throws(UsageError) -> ValueSealer.Source {
    var source = ValueSealer.Source()
    source.acceptsLoss = invocation.has(acceptsLoss.name)
    guard let path = invocation.value(of: file.name) else { return source }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw UsageError("--sealing-key-file: \(path) cannot be read as a text.")
    }
    guard SecretFile.isClosed(path) else {
      throw UsageError(
        "--sealing-key-file: other users of the machine can read \(path). Make it the server's own, and run “chmod 400”; if others may have read it, put another key in the first line."
      )
    }
    do throws(CloudError) {
      source.keys = try SealingKey.keys(inFile: text)
    } catch {
      throw UsageError("--sealing-key-file: \(path): \(error.reason)")
    }
    return source
  }
}
