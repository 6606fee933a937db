import ClassGeneration
import Foundation

// The build tool behind ManagedObjectModelPlugin. Everything it does is in ClassGeneration.
do throws(ModelCompilerArguments.UsageError) {
  let arguments = try ModelCompilerArguments(Array(CommandLine.arguments.dropFirst()))
  let (succeeded, messages) = ModelCompiler.run(arguments)
  FileHandle.standardError.write(Data(messages.map { $0 + "\n" }.joined().utf8))
  exit(succeeded ? 0 : 1)
} catch {
  FileHandle.standardError.write(
    Data("modelc: \(error.message)\n\(ModelCompilerArguments.usage)\n".utf8))
  exit(64)
}
