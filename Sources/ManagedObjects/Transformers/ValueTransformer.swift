public import Foundation

/// An object that transforms values, and optionally transforms them back.
///
/// Transformable attributes use transformers to convert between their values and the stored bytes.
/// Register one under the name that the model uses:
///
/// ```swift
/// ValueTransformer.setValueTransformer(
///   ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
///
/// A name that was not registered may be the name of a transformer class.
///
/// Transformers must be stateless, because every queue uses them.
open class ValueTransformer: NSObject {
  /// Creates a transformer.
  public override init() {
    super.init()
  }

  /// Creates a transformer of a class that is known only by name.
  ///
  /// Every subclass inherits this initializer, so the registry can call it for a class that is
  /// known only at run time.
  public required convenience init(_ofClass: Void) {
    self.init()
  }

  /// The class of the values that `transformedValue(_:)` returns.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether `reverseTransformedValue(_:)` may be called.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Transforms a value.
  ///
  /// The default implementation returns the value itself.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// Transforms a value in reverse.
  ///
  /// The default implementation calls `transformedValue(_:)`.
  ///
  /// - Precondition: The class allows reverse transformation.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    precondition(
      type(of: self).allowsReverseTransformation(),
      "\(type(of: self)) transforms values in one direction only.")
    return transformedValue(value)
  }
}

// MARK: - Transformers by name

extension ValueTransformer: ValueTransformerFactory {
  /// Registers a transformer under a name, or removes the one with this name.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    ValueTransformerRegistry.shared[name] = transformer
  }

  /// The names of all registered transformers, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    ValueTransformerRegistry.shared.names
  }

  /// The transformer registered under a name, or one of the class with this name.
  public convenience init?(forName name: NSValueTransformerName) {
    guard let transformer = ValueTransformerRegistry.shared[name] as? Self else { return nil }
    self.init(registered: transformer)
  }
}

/// Makes an initializer return an existing object.
///
/// Only a protocol extension may assign `self`, hence the protocol.
public protocol ValueTransformerFactory {}

extension ValueTransformerFactory {
  init(registered existing: Self) { self = existing }
}
