public import Foundation

/// Turns values into others, and back where that is possible.
///
/// Transformable attributes use transformers between their values and the bytes that a store keeps.
/// Register one under the name that the model has:
///
/// ```swift
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
///
/// A name that was not registered may be that of a transformer's class.
///
/// A transformer is used by every queue that needs it, so it keeps no state that changes.
open class ValueTransformer: NSObject {
  /// Creates a transformer.
  public override init() {
    super.init()
  }

  /// Creates a transformer of a class that only a name says.
  ///
  /// Every subclass inherits it, so that it can be called where only the class is known at run
  /// time.
  public required convenience init(_ofClass: Void) {
    self.init()
  }

  /// The class of the values that `transformedValue(_:)` gives.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether `reverseTransformedValue(_:)` may be called.
  open class func allowsReverseTransformation() -> Bool { true }

  /// The value that a value is turned into.
  ///
  /// This one gives the value itself.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// The value that is turned into this one.
  ///
  /// This one does the same as `transformedValue(_:)`.
  ///
  /// - Precondition: The class allows it.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    precondition(
      type(of: self).allowsReverseTransformation(),
      "\(type(of: self)) transforms values in one direction only.")
    return transformedValue(value)
  }
}

// MARK: - Transformers by name

extension ValueTransformer: ValueTransformerFactory {
  /// Registers a transformer under a name, or removes the one that has it.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    ValueTransformerRegistry.shared[name] = transformer
  }

  /// The names of all transformers that are registered, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    ValueTransformerRegistry.shared.names
  }

  /// The transformer that is registered under a name, or one of the class of this name.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let transformer = ValueTransformerRegistry.shared[name] as? Self else { return nil }
    self.init(registered: transformer)
  }
}

/// Lets an initialiser give an object that exists already.
///
/// Assigning `self` is allowed in a protocol's extension only, hence the protocol.
public protocol ValueTransformerFactory {}

extension ValueTransformerFactory {
  init(registered existing: Self) { self = existing }
}
