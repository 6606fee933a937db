/// The arguments of `modelc`.
package struct ModelCompilerArguments: Equatable, Sendable {
  package var models: [String] = []
  package var module = ""
  package var outputSwift: String?
  package var outputCompiled: String?
  package var outputSupport: String?
  package var mapping: String?
  package var outputMapping: String?
  package var sources: [String] = []

  /// An error in the arguments, with the sentence to print.
  package struct UsageError: Error, Equatable, Sendable {
    package let message: String

    package init(message: String) {
      self.message = message
    }
  }

  package static let usage = """
    Usage: modelc MODEL… --module NAME [--output-swift FILE] [--output-momd PATH]
                  [--output-support FILE [--sources FILE…]]
                  [--mapping MAPPING --output-mapping FILE]

      MODEL             an .xcdatamodeld or .xcdatamodel
      --module          the module that the generated code is compiled into
      --output-swift    the file to write the model's classes to (for one MODEL)
      --output-momd     the folder, or for an .xcdatamodel the file, to write the compiled model to (for one MODEL)
      --output-support  the file to write the registration of all models and the accessors of @NSManaged members to
      --mapping         an .xcmappingmodel between versions of one MODEL
      --output-mapping  the file to write the compiled mapping model to
      --sources         the Swift files of the module, to look for @NSManaged members and classes in
    """

  /// Parses the words after the program's name.
  package init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--module": module = try Self.value(of: word, from: &rest)
      case "--output-swift": outputSwift = try Self.value(of: word, from: &rest)
      case "--output-momd": outputCompiled = try Self.value(of: word, from: &rest)
      case "--output-support": outputSupport = try Self.value(of: word, from: &rest)
      case "--mapping": mapping = try Self.value(of: word, from: &rest)
      case "--output-mapping": outputMapping = try Self.value(of: word, from: &rest)
      case "--sources":
        while let next = rest.first, !next.hasPrefix("--") {
          sources.append(next); rest.removeFirst()
        }
      case _ where word.hasPrefix("-"): throw UsageError(message: "There is no option \(word).")
      default: models.append(word)
      }
    }
    try check()
  }

  private static func value(of option: String, from rest: inout ArraySlice<String>)
    throws(UsageError) -> String
  {
    guard let value = rest.popFirst(), !value.hasPrefix("--"), !value.isEmpty else {
      throw UsageError(message: "\(option) needs a value.")
    }
    return value
  }

  private func check() throws(UsageError) {
    guard SwiftName.isIdentifier(module) else {
      throw UsageError(
        message: "--module needs the name of a Swift module; \"\(module)\" is not one.")
    }
    let outputs = [outputSwift, outputCompiled, outputSupport, outputMapping]
    guard outputs.contains(where: { $0 != nil }) else {
      throw UsageError(
        message:
          """
          Nothing to write: give --output-swift, --output-momd, --output-support or \
          --output-mapping.
          """
      )
    }
    guard (mapping == nil) == (outputMapping == nil) else {
      throw UsageError(message: "--mapping and --output-mapping belong together.")
    }
    guard models.count == 1 || (outputSwift == nil && outputCompiled == nil) else {
      throw UsageError(message: "--output-swift and --output-momd take exactly one MODEL.")
    }
  }
}
