public import Foundation

/// Archives of predicates, in the form of Apple's archives.
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(
///   withRootObject: predicate, requiringSecureCoding: true)
/// let saved = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
/// // … check its key paths, then
/// saved?.allowEvaluation()
/// ```
///
/// Foundation's own class has no coding on this platform. A closure has no archived form. An
/// archive whose root is `TRUEPREDICATE` or `FALSEPREDICATE` cannot be read by Apple's platforms.
extension NSPredicate: @retroactive NSSecureCoding {
  /// Whether predicates can be decoded from archives of unknown origin: true.
  public class var supportsSecureCoding: Bool { true }

  /// Writes the predicate to a keyed archive.
  ///
  /// A closure, or a constant value that does not adopt `NSCoding`, stops the program, as on
  /// Apple's platforms.
  public func encode(with coder: NSCoder) {
    precondition(coder.allowsKeyedCoding, "A predicate can only be written to a keyed archive.")
    ArchivedNames.use(in: coder)
    switch node {
    case .constant(let value): coder.encode(value, forKey: Self.constantKey)
    case .comparison(let comparison):
      coder.encode(comparison.leftExpression, forKey: "NSLeftExpression")
      coder.encode(comparison.rightExpression, forKey: "NSRightExpression")
      coder.encode(ArchivedOperator(comparison), forKey: "NSPredicateOperator")
    case .not(let part): encode(0, [part], coder)
    case .and(let parts): encode(1, parts, coder)
    case .or(let parts): encode(2, parts, coder)
    case .opaque:
      preconditionFailure(
        "A predicate of type \(type(of: self)) has no archived form. Write it as a format string.")
    }
  }

  private func encode(_ type: Int, _ parts: [NSPredicate], _ coder: NSCoder) {
    coder.encode(type, forKey: "NSCompoundPredicateType")
    coder.encode(parts.map(\.archivable) as NSArray, forKey: "NSSubpredicates")
  }

  /// The predicate, or a constant of the class that Apple's archives have for it.
  var archivable: NSPredicate {
    guard case .constant(let value) = node else { return self }
    return value ? ArchivedTrue(value: true) : ArchivedFalse(value: false)
  }

  /// The key of a constant that is the archive's root, whose class has only one name for both.
  static let constantKey = "ParhelionValue"
}

extension PredicateFactory where Self: NSPredicate {
  /// Reads a predicate from a keyed archive.
  ///
  /// A predicate from a secure archive must be allowed to be evaluated: see `allowEvaluation()`.
  public init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding, let predicate = PredicateDecoding(coder: coder).predicate()
    else { return nil }
    if let made = predicate as? Self {
      self.init(made: made)
    } else if PredicateDecoding.replaces(Self.self) {
      // Foundation's class has no instances here: the caller gets an object of ours, of which it
      // knows only that it can be coded.
      let address = unsafe Unmanaged.passUnretained(predicate).toOpaque()
      self.init(made: unsafe Unmanaged<Self>.fromOpaque(address).takeUnretainedValue())
    } else {
      coder.fail("The archive contains no \(Self.self), but \(predicate.formatText).")
      return nil
    }
  }
}

/// Reads a predicate's keys from a keyed archive; any contradiction ends the decoding.
struct PredicateDecoding {
  let coder: NSCoder

  /// Whether the name of a class in archives stands for another class of ours.
  static func replaces(_ type: NSPredicate.Type) -> Bool {
    type == ArchivedNames.comparisonClass || type == NSCompoundPredicate.self
      || type == ArchivedTrue.self || type == ArchivedFalse.self
  }

  func predicate() -> NSPredicate? {
    ArchivedNames.use(in: coder)
    if coder.containsValue(forKey: "NSPredicateOperator") { return comparison }
    if coder.containsValue(forKey: "NSCompoundPredicateType") { return compound }
    if coder.containsValue(forKey: NSPredicate.constantKey) {
      return NSPredicate(value: coder.decodeBool(forKey: NSPredicate.constantKey))
    }
    coder.fail("The archive contains a predicate of an unknown form.")
    return nil
  }

  private var permission: EvaluationPermission? {
    coder.requiresSecureCoding ? EvaluationPermission() : nil
  }

  private var comparison: NSPredicate? {
    guard let left = coder.decodeObject(of: NSExpression.self, forKey: "NSLeftExpression"),
      let right = coder.decodeObject(of: NSExpression.self, forKey: "NSRightExpression"),
      let kind = coder.decodeObject(of: ArchivedOperator.self, forKey: "NSPredicateOperator")
    else {
      coder.fail("A comparison has two expressions and an operator.")
      return nil
    }
    return NSComparisonPredicate(
      left: left, right: right, modifier: kind.modifier, kind: kind.comparison,
      permission: permission)
  }

  private var compound: NSPredicate? {
    let number = coder.decodeInteger(forKey: "NSCompoundPredicateType")
    let list = coder.decodeObject(of: [NSArray.self, NSPredicate.self], forKey: "NSSubpredicates")
    guard let type = UInt(exactly: number).flatMap(NSCompoundPredicate.LogicalType.init),
      let parts = list as? [NSPredicate], type != .not || parts.count == 1
    else {
      coder.fail("A compound has a type and predicates; a negation has one.")
      return nil
    }
    return CompoundPredicate(type: type, subpredicates: parts, permission: permission)
  }
}
