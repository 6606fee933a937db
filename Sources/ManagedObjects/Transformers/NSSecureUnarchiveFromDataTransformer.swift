import Foundation

/// Turns archives into values of classes that are known to be harmless, and values into archives.
///
/// To allow other classes than those of property lists, make a subclass and register it under a
/// name of your own:
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///   override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
/// }
/// ```
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, ArchiveTransformer {
  /// The classes that an archive may hold, with their subclasses.
  open class var allowedTopLevelClasses: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self,
      NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// The class of the values: any.
  open override class func transformedValueClass() -> AnyClass { NSObject.self }

  /// True: values can be archived.
  open override class func allowsReverseTransformation() -> Bool { true }

  /// The value in an archive, or nil where it cannot be read or holds another class than the
  /// allowed ones.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { try? self.value(of: $0) }
  }

  /// The archive of a value, or nil where its class is not among the allowed ones or cannot be
  /// archived.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    value.flatMap { try? data(of: $0) }
  }

  func value(of data: Data) throws -> Any? {
    try KeyedValues.value(of: data, allowing: Self.allowedTopLevelClasses)
  }

  func data(of value: Any) throws -> Data {
    try KeyedValues.data(of: value, allowing: Self.allowedTopLevelClasses)
  }
}
