public import Foundation
public import PredicateLanguage

/// Archives of predicates.
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(
///   withRootObject: predicate, requiringSecureCoding: true)
/// let saved = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
/// // … check its key paths and functions, then
/// saved?.allowEvaluation()
/// ```
///
/// Foundation's archiver on this platform cannot write the class names of Apple's archives. So only
/// this platform can read its data. To exchange predicates with Apple's platforms, use
/// `keyedArchive()` and `init(keyedArchive:)`.
extension NSPredicate: @retroactive NSSecureCoding {
  /// Whether predicates can be decoded from archives of unknown origin: true.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the predicate to a keyed archive.
  ///
  /// A closure, a predicate of another class, or a constant without an archived form stops the
  /// program, as an exception does on Apple's platforms. `keyedArchive()` throws instead.
  public func encode(with coder: NSCoder) {
    coder.encodeArchive("predicate") { () throws(ModelArchiveError) in
      try PredicateArchive.data(of: self)
    }
  }

  /// The predicate as a keyed archive, in the form that Apple's `NSKeyedArchiver` writes.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: `CocoaError.coderInvalidValue` for a closure, a predicate of another class, or a
  ///   constant without an archived form, such as a managed object.
  public func keyedArchive() throws -> Data {
    do {
      return try PredicateArchive.data(of: self)
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }
}

extension PredicateFactory where Self: NSPredicate {
  /// Reads a predicate from a keyed archive of this platform.
  ///
  /// It cannot be evaluated until `allowEvaluation()` is called.
  public init?(coder: NSCoder) {
    let predicate = coder.decodeArchive { data throws(ModelArchiveError) in
      try Self.required(PredicateArchive.predicate(in: data))
    }
    guard let predicate else { return nil }
    self.init(made: predicate)
  }

  /// Reads a predicate from a keyed archive by Apple's `NSKeyedArchiver` or `keyedArchive()`.
  ///
  /// Parhelion's addition.
  ///
  /// It cannot be evaluated until `allowEvaluation()` is called.
  ///
  /// - Throws: `CocoaError.coderReadCorrupt`.
  public init(keyedArchive data: Data) throws {
    do {
      self.init(made: try Self.required(PredicateArchive.predicate(in: data)))
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }

  private static func required(_ predicate: NSPredicate) throws(ModelArchiveError) -> Self {
    if let instance = predicate as? Self { return instance }
    throw ModelArchiveError(
      .wrongKind, "The archive contains no \(Self.self), but \(predicate.formatText).")
  }
}
