import ClassGeneration
import Foundation
import ModelSource
import TestSupport
import Testing

/// A model written for one test.
struct SampleModel {
  var name = "Sample"
  /// The text between `<model>` and `</model>`.
  var contents: String

  /// Writes the bundle to a folder and returns its URL.
  func write(to folder: URL) throws -> URL {
    let bundle = folder.appendingPathComponent("\(name).xcdatamodeld")
    let version = bundle.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
      \(contents)
      </model>
      """
    try text.write(
      to: version.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
    return bundle
  }

  /// The file of generated classes, without the compiled model at its end.
  func classes(module: String = "App") throws -> String {
    let text = try run(module: module) { folder in
      ["--output-swift", folder.appendingPathComponent("Classes.swift").path]
    } reading: {
      "Classes.swift"
    }
    let carrier = try #require(text.range(of: "\n/// The compiled model"))
    return String(text[..<carrier.lowerBound])
  }

  /// The file of the target's support code, without its models.
  func support(sources: [String: String] = [:], module: String = "App") throws -> String {
    try run(module: module) { folder in
      for (name, source) in sources {
        try source.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
      }
      return ["--output-support", folder.appendingPathComponent("Support.swift").path, "--sources"]
        + sources.keys.sorted().map { folder.appendingPathComponent($0).path }
    } reading: {
      "Support.swift"
    }
  }

  /// The tool's messages, without the folder's path.
  func messages(sources: [String: String] = [:], module: String = "App") throws -> [String] {
    try withTemporaryDirectory { folder in
      var words = [try write(to: folder).path, "--module", module]
      for (name, source) in sources {
        try source.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
      }
      words += ["--output-swift", folder.appendingPathComponent("Classes.swift").path]
      words += [
        "--output-support", folder.appendingPathComponent("Support.swift").path, "--sources",
      ]
      words += sources.keys.sorted().map { folder.appendingPathComponent($0).path }
      return ModelCompiler.run(try ModelCompilerArguments(words)).messages
        .map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
    }
  }

  private func run(
    module: String, arguments: (URL) throws -> [String], reading output: () -> String
  ) throws -> String {
    try withTemporaryDirectory { folder in
      let words = [try write(to: folder).path, "--module", module] + (try arguments(folder))
      let (succeeded, messages) = ModelCompiler.run(try ModelCompilerArguments(words))
      #expect(succeeded, "\(messages)")
      return try String(contentsOf: folder.appendingPathComponent(output()), encoding: .utf8)
    }
  }
}
