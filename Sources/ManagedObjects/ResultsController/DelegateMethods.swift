/// The optional methods of a delegate.
///
/// Swift cannot ask an object whether it implements a method of a protocol. Each method's default
/// implementation records that it was called, so one call reveals whether the delegate has its own.
struct DelegateMethods: OptionSet {
  let rawValue: Int

  static let willChange = DelegateMethods(rawValue: 1)
  static let didChange = DelegateMethods(rawValue: 2)
  static let object = DelegateMethods(rawValue: 4)
  static let section = DelegateMethods(rawValue: 8)
  static let snapshot = DelegateMethods(rawValue: 16)
  static let difference = DelegateMethods(rawValue: 32)
  static let indexTitle = DelegateMethods(rawValue: 64)

  /// The methods that a controller can call about a change.
  static func changes(withSections hasSections: Bool) -> DelegateMethods {
    [.willChange, .didChange, .object, .snapshot, hasSections ? .section : .difference]
  }
}

/// The methods that a delegate has or lacks, as far as calls have shown.
struct DelegateKnowledge {
  /// The methods that the delegate lacks.
  private(set) var missing: DelegateMethods = []
  /// The methods that the delegate implements.
  private(set) var implemented: DelegateMethods = []
  /// Whether the delegate was notified of a change.
  var hasDelivered = false

  /// Records that the default implementation of a method was called.
  mutating func recordDefault(_ method: DelegateMethods) { missing.formUnion(method) }

  /// Records that a method was called.
  mutating func recordCall(_ method: DelegateMethods) {
    if !missing.contains(method) { implemented.formUnion(method) }
  }
}
