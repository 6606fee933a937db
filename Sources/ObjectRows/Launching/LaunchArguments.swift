import Foundation

/// Core Data's launch arguments for debugging, or environment variables with the same names.
///
/// A shell cannot set a variable with dots, so underscores may replace them. An argument takes
/// precedence over a variable, and the last of several arguments counts. The program's user
/// defaults come last, as on Apple's platforms.
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

  /// The launch arguments of this process.
  package static let ofProcess = LaunchArguments(
    arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment,
    defaults: { UserDefaults.standard.string(forKey: $0) })

  /// The value of an argument, by the part of its name after `com.apple.CoreData.`.
  package subscript(name: String) -> String? {
    let name = "com.apple.CoreData." + name
    if let index = arguments.lastIndex(of: "-" + name), index + 1 < arguments.count {
      return arguments[index + 1]
    }
    return environment[name] ?? environment[name.replacingOccurrences(of: ".", with: "_")]
      ?? defaults(name)
  }

  /// The value as a number; nil if it is missing or not a number.
  package func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// The value as a Boolean, read like `NSString.boolValue`; nil if it is missing.
  package func flag(_ name: String) -> Bool? { self[name].map { ($0 as NSString).boolValue } }
}
