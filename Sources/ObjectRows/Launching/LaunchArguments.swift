import Foundation

/// What a program was started with for those who look for its faults: Core Data's launch arguments,
/// or variables of the environment with the same names.
///
/// A shell cannot set a variable with dots, so that underscores may stand for them. An argument
/// counts before a variable, and the last of several arguments. The program's user defaults count
/// after both, as on Apple's platforms.
package struct LaunchArguments: Sendable {
  private let arguments: [String]
  private let environment: [String: String]
  private let defaults: @Sendable (String) -> String?

  package init(
    arguments: [String], environment: [String: String],
    defaults: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.arguments = arguments
    self.environment = environment
    self.defaults = defaults
  }

  /// What this process was started with.
  package static let ofProcess = LaunchArguments(
    arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment,
    defaults: { UserDefaults.standard.string(forKey: $0) })

  /// The text of an argument, by what follows `com.apple.CoreData.` in its name.
  package subscript(name: String) -> String? {
    let name = "com.apple.CoreData." + name
    if let index = arguments.lastIndex(of: "-" + name), index + 1 < arguments.count {
      return arguments[index + 1]
    }
    return environment[name] ?? environment[name.replacingOccurrences(of: ".", with: "_")]
      ?? defaults(name)
  }

  /// A number; nil where nothing is said, and where it is none.
  package func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// Yes or no, as `NSString.boolValue` reads it; nil where nothing is said.
  package func flag(_ name: String) -> Bool? { self[name].map { ($0 as NSString).boolValue } }
}
