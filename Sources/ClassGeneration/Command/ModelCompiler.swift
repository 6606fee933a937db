import Foundation
import ManagedObjectModel
import ModelSource

/// The implementation of `modelc`: reads models, generates code, writes files.
package struct ModelCompiler {
  private let arguments: ModelCompilerArguments
  private var outputs: [OutputFile] = []

  /// The errors and warnings, one per line, in the compiler's format.
  package private(set) var messages: [String] = []
  private var failed = false

  /// Runs the command.
  ///
  /// Nothing is written if reading or generating fails.
  ///
  /// - Returns: Whether the command succeeded, and the lines for standard error.
  package static func run(_ arguments: ModelCompilerArguments) -> (
    succeeded: Bool, messages: [String]
  ) {
    var compiler = ModelCompiler(arguments: arguments)
    compiler.generate()
    if !compiler.failed { compiler.write() }
    return (!compiler.failed, compiler.messages)
  }

  private init(arguments: ModelCompilerArguments) {
    self.arguments = arguments
  }

  private mutating func generate() {
    let bundles = arguments.models.compactMap { read($0) }
    guard bundles.count == arguments.models.count else { return }
    if let bundle = bundles.first, arguments.mapping == nil { generateModel(bundle) }
    if arguments.outputSupport != nil { generateSupport(bundles) }
    if let mapping = arguments.mapping, let path = arguments.outputMapping {
      generateMapping(mapping, at: path, bundles)
    }
  }

  /// Compiles a mapping model between two versions of one of the models.
  private mutating func generateMapping(
    _ source: String, at path: String, _ bundles: [ModelBundle]
  ) {
    do {
      let mapping = try MappingSource(contentsOf: URL(fileURLWithPath: source))
      let names = [mapping.sourceVersionName, mapping.destinationVersionName]
      let found = bundles.lazy.map { bundle in
        names.compactMap { name in bundle.versions.first { $0.name == name } }
      }.first { $0.count == names.count }
      guard let found else {
        let wanted = names.map { $0 ?? "none" }.joined(separator: " and ")
        return report([
          GenerationIssue(
            file: source,
            "It maps the versions \(wanted), which no model of the target has. Save it again with "
              + "Xcode, or compile it with parhelion model mapping --from --to.")
        ])
      }
      let compiled = try mapping.mapping(from: found[0].model, to: found[1].model)
      outputs.append(OutputFile(path: path, contents: try CompiledMapping.write(compiled)))
    } catch let error as ModelSourceError {
      failed = true
      messages += error.issues.map(\.description)
    } catch {
      report([GenerationIssue(file: source, "\(error)")])
    }
  }

  private mutating func read(_ path: String) -> ModelBundle? {
    do {
      let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path), module: arguments.module)
      // The command for the model prints its warnings; the commands for the target and for mapping
      // models would repeat them.
      if arguments.outputSupport == nil, arguments.mapping == nil {
        messages += bundle.warnings.map(\.description)
      }
      return bundle
    } catch {
      failed = true
      messages += error.issues.map(\.description)
      return nil
    }
  }

  private mutating func generateModel(_ bundle: ModelBundle) {
    do {
      let compiled = CompiledFiles(bundle)
      if let path = arguments.outputSwift {
        let (plan, issues) = ModelPlanner.plan(bundle, module: arguments.module)
        report(issues)
        let text = ClassFileWriter.text(
          for: plan, compiledModel: try compiled.packedCurrentVersion())
        outputs.append(OutputFile(path: path, text: text))
      }
      if let path = arguments.outputCompiled { outputs += try compiled.outputs(at: path) }
    } catch {
      report([GenerationIssue(file: arguments.models.first ?? bundle.name, "\(error)")])
    }
  }

  private mutating func generateSupport(_ bundles: [ModelBundle]) {
    let plans = bundles.map { ModelPlanner.plan($0, module: arguments.module).plan }
    let files = arguments.sources.compactMap { scan($0) }
    let target = TargetPlan(module: arguments.module, models: plans, files: files)
    report(target.issues)
    guard let path = arguments.outputSupport else { return }
    outputs.append(OutputFile(path: path, text: TargetFileWriter.text(for: target)))
  }

  private mutating func scan(_ path: String) -> SourceFileDeclarations? {
    do {
      let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
      return DeclarationScanner.scan(source: text, file: path)
    } catch {
      report([GenerationIssue(file: path, "The file cannot be read: \(error.localizedDescription)")]
      )
      return nil
    }
  }

  private mutating func report(_ issues: [GenerationIssue]) {
    messages += issues.map(\.description)
    failed = failed || issues.contains { $0.severity == .error }
  }

  private mutating func write() {
    let outputs = outputs
    for output in outputs { perform(on: output.path) { try output.write() } }
    if let path = arguments.outputCompiled {
      perform(on: path) { try CompiledFiles.removeObsoleteFiles(at: path, keeping: outputs) }
    }
  }

  private mutating func perform(on path: String, _ action: () throws -> Void) {
    do {
      try action()
    } catch {
      report([
        GenerationIssue(file: path, "The file cannot be written: \(error.localizedDescription)")
      ])
    }
  }
}
