/// The condition of `#if`, evaluated for platforms without the Objective-C runtime.
struct CompilationCondition {
  private let tokens: [Token]
  private var next = 0
  private var depth = 0

  init(_ tokens: [Token]) {
    self.tokens = tokens
  }

  /// The value that is the same on all platforms without Objective-C; nil if none is known.
  var valueWithoutObjectiveC: Bool? {
    var reader = self
    let value = reader.disjunction()
    return reader.next == tokens.count ? value : nil
  }

  private static let appleSystems: Set<String> = [
    "macOS", "OSX", "iOS", "tvOS", "watchOS", "visionOS", "xrOS", "macCatalyst",
  ]

  /// Modules that only Apple's platforms have.
  private static let appleModules: Set<String> = [
    "ObjectiveC", "Darwin", "UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "Combine",
    "CoreGraphics", "HealthKit", "MapKit", "WidgetKit", "StoreKit",
  ]

  private mutating func disjunction() -> Bool? {
    var value = conjunction()
    while take("|", "|") {
      let right = conjunction()
      value =
        value == true || right == true ? true : (value == false && right == false ? false : nil)
    }
    return value
  }

  private mutating func conjunction() -> Bool? {
    var value = primary()
    while take("&", "&") {
      let right = primary()
      value =
        value == false || right == false ? false : (value == true && right == true ? true : nil)
    }
    return value
  }

  private mutating func primary() -> Bool? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Limits.conditionDepth else { return nil }
    if take("!") { return primary().map { !$0 } }
    if take("(") {
      let value = disjunction()
      return take(")") ? value : nil
    }
    guard next < tokens.count, tokens[next].kind == .word else { return nil }
    let name = tokens[next].spelling
    next += 1
    switch name {
    case "true": return true
    case "false": return false
    default: return take("(") ? test(name) : nil
    }
  }

  /// The value of `canImport(X)`, `os(X)` and similar tests, including the closing parenthesis.
  private mutating func test(_ name: String) -> Bool? {
    let argument = next < tokens.count ? tokens[next].spelling : ""
    let hasOneArgument = next + 1 < tokens.count && tokens[next + 1].spelling == ")"
    while next < tokens.count, !take(")") { next += 1 }
    let isApple =
      switch name {
      case "canImport": Self.appleModules.contains(argument)
      case "os", "targetEnvironment":
        Self.appleSystems.contains(argument) || argument == "simulator"
      case "_runtime": argument == "_ObjC"
      default: false
      }
    return isApple && (hasOneArgument || name == "canImport") ? false : nil
  }

  private mutating func take(_ marks: String...) -> Bool {
    for (offset, mark) in marks.enumerated() {
      guard next + offset < tokens.count, tokens[next + offset].spelling == mark else {
        return false
      }
    }
    next += marks.count
    return true
  }
}
