/// Something whose methods expressions can call by selector.
///
/// Parhelion's addition.
///
/// `FUNCTION(operand, "selector:", argument)` sends a message on Apple's platforms. There are no
/// messages here, so a type whose methods are to be called says which it has.
public protocol SelectorPerforming {
  /// Calls the method; throws for a selector that it does not have.
  func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any?
}
