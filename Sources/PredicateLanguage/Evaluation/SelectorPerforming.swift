/// A type with methods that expressions can call by selector.
///
/// Parhelion's addition.
///
/// `FUNCTION(operand, "selector:", argument)` sends a message on Apple's platforms. This platform
/// has no Objective-C messages, so a type declares the methods that expressions may call.
public protocol SelectorPerforming {
  /// Calls the method; throws for an unknown selector.
  func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any?
}
