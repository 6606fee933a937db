/// A parser or other component that is fed with generated input.
protocol FuzzTarget: SendableMetatype {
  /// The name for `Scripts/fuzz`, and of the target's seeds and dictionary.
  static var name: String { get }

  /// Inputs to start from, in addition to `Fuzz/Seeds`: those that only a writer can create.
  static func seeds() throws -> [[UInt8]]

  /// Processes the bytes, and checks every result. Errors are expected; only a trap is a finding.
  static func run(_ bytes: [UInt8])
}

extension FuzzTarget {
  static func seeds() throws -> [[UInt8]] { [] }
}

/// All targets, in the order of their names.
let fuzzTargets: [any FuzzTarget.Type] = [
  AnswerTarget.self,
  CompiledModelTarget.self,
  CompressionTarget.self,
  HTTPConnectionTarget.self,
  HTTPRequestTarget.self,
  JSONTarget.self,
  ModelSourceTarget.self,
  MultipartTarget.self,
  PredicateFormatTarget.self,
  PropertyListTarget.self,
  QueryTarget.self,
  SchemaTextTarget.self,
  SourceMigrationTarget.self,
]

/// Stops the program if a condition is false; unlike `precondition`, it prints its message in
/// release builds too.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fail(message()) }
}

func fail(_ message: String) -> Never { fatalError("A finding: \(message)") }
