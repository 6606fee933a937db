import Foundation
import TestSupport
import Testing

/// The symbols that the installed compiler uses for a piece of source.
enum CompilerSymbols {
  /// Compiles the files of a module to assembly text and returns every Swift symbol in it.
  static func used(by files: [String: String], module: String) throws -> Set<String> {
    try withTemporaryDirectory { folder in
      var paths: [String] = []
      for (name, source) in files.sorted(by: { $0.key < $1.key }) {
        let url = folder.appendingPathComponent(name)
        try source.write(to: url, atomically: true, encoding: .utf8)
        paths.append(url.path)
      }
      let assembly = folder.appendingPathComponent("module.s")
      try Toolchain.run(
        "swiftc",
        [
          "-emit-assembly", "-wmo", "-parse-as-library", "-package-name", "sample", "-module-name",
          module,
          // A separate cache, because the user may have no home directory.
          "-module-cache-path", folder.path + "/cache", "-o", assembly.path,
        ] + paths)
      return symbols(in: try String(contentsOf: assembly, encoding: .utf8))
    }
  }

  private static func symbols(in assembly: String) -> Set<String> {
    let isPart: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let pieces = assembly.split(separator: "$").dropFirst()
    return Set(pieces.map { "$" + $0.prefix(while: isPart) })
  }
}

/// The tools of the toolchain that runs the tests.
enum Toolchain {
  /// Runs a tool and returns its output of both streams.
  ///
  /// Fails the test if the tool fails.
  @discardableResult
  static func run(_ tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(tool) failed: \(text)")
    return text
  }
}
