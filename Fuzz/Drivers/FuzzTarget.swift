/// One reader that is fed with bytes that nobody wrote.
protocol FuzzTarget: SendableMetatype {
  /// What `Scripts/fuzz` calls it; also the name of its seeds and of its dictionary.
  static var name: String { get }

  /// Inputs to start from, beside the files in `Fuzz/Seeds`: those that only a writer can make.
  static func seeds() throws -> [[UInt8]]

  /// Reads the bytes, and checks what must hold of every result. An error is fine; only a trap is a
  /// finding.
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

/// Stops the program where something does not hold that must; unlike `precondition` it says so in
/// release builds too.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fail(message()) }
}

func fail(_ message: String) -> Never { fatalError("A finding: \(message)") }
