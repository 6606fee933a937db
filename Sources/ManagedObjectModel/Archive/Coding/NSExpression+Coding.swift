public import Foundation
public import PredicateLanguage

/// Archives of expressions, like those of predicates.
extension PredicateLanguage.NSExpression: NSSecureCoding {
  /// Whether expressions can be decoded from archives of unknown origin: true.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the expression to a keyed archive.
  ///
  /// A closure, an expression of the program's own class, or a constant without an archived form
  /// stops the program, as an exception does on Apple's platforms. `keyedArchive()` throws instead.
  public func encode(with coder: NSCoder) {
    coder.encodeArchive("expression") { () throws(ModelArchiveError) in
      try CompiledMapping.writeExpression(self)
    }
  }

  /// The expression as a keyed archive, in the form that Apple's `NSKeyedArchiver` writes.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: `CocoaError.coderInvalidValue` if the expression has no archived form.
  public func keyedArchive() throws -> Data {
    do {
      return try CompiledMapping.writeExpression(self)
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }
}

extension PredicateFactory where Self: PredicateLanguage.NSExpression {
  /// Reads an expression from a keyed archive of this platform.
  ///
  /// It cannot be evaluated until `allowEvaluation()` is called.
  public init?(coder: NSCoder) {
    let expression = coder.decodeArchive { data throws(ModelArchiveError) in
      try Self.required(PredicateArchive.expression(in: data))
    }
    guard let expression else { return nil }
    self.init(made: expression)
  }

  /// Reads an expression from a keyed archive by Apple's `NSKeyedArchiver` or `keyedArchive()`.
  ///
  /// Parhelion's addition.
  ///
  /// It cannot be evaluated until `allowEvaluation()` is called.
  ///
  /// - Throws: `CocoaError.coderReadCorrupt`.
  public init(keyedArchive data: Data) throws {
    do {
      self.init(made: try Self.required(PredicateArchive.expression(in: data)))
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }

  private static func required(_ expression: PredicateLanguage.NSExpression)
    throws(ModelArchiveError) -> Self
  {
    if let instance = expression as? Self { return instance }
    throw ModelArchiveError(
      .wrongKind, "The archive contains no \(Self.self), but \(expression.formatText).")
  }
}
