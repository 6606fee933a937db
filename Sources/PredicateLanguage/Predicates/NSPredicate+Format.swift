public import Foundation

/// Lets an initialiser give an object that was made elsewhere, possibly of a subclass.
///
/// Foundation's initialisers for format strings are unavailable on this platform. Those below take
/// their place in overload resolution, and give instances of our own subclasses. Assigning `self`
/// is allowed in a protocol's extension only, hence the protocol.
public protocol PredicateFactory {}

extension PredicateFactory {
  init(made existing: Self) { self = existing }
}

extension NSPredicate: PredicateFactory {}

extension NSPredicate {
  /// A predicate from a format string and the values for its placeholders.
  ///
  /// ```swift
  /// NSPredicate(format: "name BEGINSWITH[cd] %@ AND age > %d", "é", 17)
  /// ```
  ///
  /// A text that is not a predicate stops the program, as it raises an exception on Apple's
  /// platforms. For a text from outside the program there is `init(parsing:arguments:)`, which
  /// throws.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(made: .parsed(predicateFormat, .variadic(args)))
  }

  /// A predicate from a format string and an array with the objects for its placeholders.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(made: .parsed(predicateFormat, .values(arguments ?? [])))
  }

  /// A predicate from a format string and the arguments of a C function.
  public convenience init(format predicateFormat: String, arguments argList: CVaListPointer) {
    let arguments = unsafe PlaceholderArguments(list: CArgumentList(argList))
    self.init(
      made: .parsed { () throws(PredicateParseError) in
        try Parser.predicate(predicateFormat, arguments)
      })
  }

  /// A predicate from a format string that may be wrong, such as one that a user typed.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateParseError``, which says where the mistake is and what was expected
  ///   there.
  public convenience init(parsing predicateFormat: String, arguments: [Any] = []) throws {
    self.init(
      made: .fitting(try PredicateTemplates.shared.predicate(predicateFormat, .values(arguments))))
  }

  private static func parsed(_ text: String, _ arguments: FormatArguments) -> Self {
    parsed { () throws(PredicateParseError) in
      try PredicateTemplates.shared.predicate(text, arguments)
    }
  }

  private static func parsed(_ read: () throws(PredicateParseError) -> NSPredicate) -> Self {
    do {
      return fitting(try read())
    } catch {
      preconditionFailure("NSPredicate(format:) cannot read the format string: \(error)")
    }
  }

  /// The predicate as the class on which the initialiser was called.
  fileprivate static func fitting(_ predicate: NSPredicate) -> Self {
    guard let fitting = predicate as? Self else {
      preconditionFailure(
        "A format string makes a \(type(of: predicate)), not a \(Self.self). Use NSPredicate(format:)."
      )
    }
    return fitting
  }
}

extension NSPredicate {
  /// The format string of any predicate, also of Foundation's own compounds.
  ///
  /// Parhelion's addition.
  ///
  /// `predicateFormat` gives the same for predicates made here, but Foundation marks it deprecated
  /// on this platform, and its own compounds answer `FALSEPREDICATE`.
  public var formatText: String { FormatPrinter.text(of: self) }

  /// Predicates are always ready to be evaluated here; the call is accepted for the sake of code
  /// that decodes them.
  public func allowEvaluation() {}
}
