import CloudRecords
import RecordServer

/// The options for the keys of encrypted values.
enum SealingOptions {
  static let file = CommandOption(
    "--sealing-key-file", value: "FILE",
    """
    The keys that seal encrypted values; no backup contains this file. Default: a key in the \
    store.
    """)

  static let acceptsLoss = CommandOption(
    "--accept-lost-sealing-key",
    "Start although a sealing key is lost. Values sealed under it cannot be read until it is found."
  )

  static func source(_ invocation: Invocation) throws(CommandError) -> ValueSealer.Source {
    var source = ValueSealer.Source()
    source.acceptsLoss = invocation.has(acceptsLoss.name)
    guard let path = invocation.value(of: file.name) else { return source }
    let keyFile = NamedFile(path, of: file.name)
    let text = try SecretFile.text(of: keyFile, remedy: "put another key in the first line")
    do throws(CloudError) {
      source.keys = try SealingKey.keys(inFile: text)
    } catch {
      throw CommandError("\(keyFile): \(error.reason)")
    }
    return source
  }
}
