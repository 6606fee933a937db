public import Foundation

/// Allows an initialiser to return an object that was created elsewhere, possibly of a subclass.
///
/// Foundation's initialisers for format strings are unavailable on this platform. The initialisers
/// below replace them in overload resolution and return instances of our own subclasses. The
/// initialisers that decode predicates and expressions do the same. Only an initialiser in a
/// protocol's extension may assign `self`, hence the protocol.
public protocol PredicateFactory {}

extension PredicateFactory {
  package init(made existing: Self) { self = existing }
}

extension NSPredicate: PredicateFactory {}
extension NSExpression: PredicateFactory {}

extension NSPredicate {
  /// Creates a predicate from a format string and the values for its placeholders.
  ///
  /// ```swift
  /// NSPredicate(format: "name BEGINSWITH[cd] %@ AND age > %d", "é", 17)
  /// ```
  ///
  /// An invalid format string stops the program; Apple's platforms raise an exception. For text
  /// from outside the program use `init(parsing:arguments:)`, which throws.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(made: .parsed(predicateFormat, .variadic(args)))
  }

  /// Creates a predicate from a format string and an array of values for its placeholders.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(made: .parsed(predicateFormat, .values(arguments ?? [])))
  }

  /// Creates a predicate from a format string and the arguments of a C function.
  public convenience init(format predicateFormat: String, arguments argList: CVaListPointer) {
    let arguments = unsafe PlaceholderArguments(list: CArgumentList(argList))
    self.init(
      made: .parsed { () throws(PredicateParseError) in
        try Parser.predicate(predicateFormat, arguments)
      })
  }

  /// Creates a predicate from a format string that may be invalid, such as one that a user typed.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateParseError``, which gives the position and what was expected there.
  public convenience init(parsing predicateFormat: String, arguments: [Any] = []) throws {
    self.init(
      made: .checkedCast(
        try PredicateTemplates.shared.predicate(predicateFormat, .values(arguments))))
  }

  private static func parsed(_ text: String, _ arguments: FormatArguments) -> Self {
    parsed { () throws(PredicateParseError) in
      try PredicateTemplates.shared.predicate(text, arguments)
    }
  }

  private static func parsed(_ read: () throws(PredicateParseError) -> NSPredicate) -> Self {
    do {
      return checkedCast(try read())
    } catch {
      preconditionFailure("NSPredicate(format:) cannot read the format string: \(error)")
    }
  }

  /// The predicate as an instance of the class whose initialiser was called.
  fileprivate static func checkedCast(_ predicate: NSPredicate) -> Self {
    guard let instance = predicate as? Self else {
      preconditionFailure(
        "A format string creates a \(type(of: predicate)), not a \(Self.self). Use NSPredicate(format:)."
      )
    }
    return instance
  }
}

extension NSPredicate {
  /// The format string of any predicate, including Foundation's own compounds.
  ///
  /// Parhelion's addition.
  ///
  /// For predicates of this framework `predicateFormat` returns the same. Foundation marks that
  /// property deprecated on this platform, and its own compounds return `FALSEPREDICATE`.
  public var formatText: String { FormatPrinter.text(of: self) }
}
