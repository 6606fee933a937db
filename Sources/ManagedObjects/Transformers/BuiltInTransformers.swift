import Foundation

/// Negates a Boolean.
final class NegateBooleanTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }

  override func transformedValue(_ value: Any?) -> Any? {
    NSNumber(value: !((value as? NSNumber)?.boolValue ?? false))
  }
}

/// Returns whether a value is nil.
final class IsNilTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override class func allowsReverseTransformation() -> Bool { false }

  override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value == nil) }
}

/// Returns whether a value is not nil.
final class IsNotNilTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override class func allowsReverseTransformation() -> Bool { false }

  override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value != nil) }
}

/// Decodes archives of any classes.
final class UnarchiveFromDataTransformer: ValueTransformer, ArchiveTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { try? self.value(of: $0) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    value.flatMap { try? data(of: $0) }
  }

  func value(of data: Data) throws -> Any? { try KeyedValues.value(of: data, allowing: nil) }
  func data(of value: Any) throws -> Data { try KeyedValues.data(of: value, allowing: nil) }
}
