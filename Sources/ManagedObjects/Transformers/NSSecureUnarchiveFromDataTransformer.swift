import Foundation

/// A transformer between archives and values, which decodes only classes that are allowed.
///
/// To allow other classes than those of property lists, create a subclass and register it:
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///   override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
/// }
/// ```
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, ArchiveTransformer {
  /// The classes of values, of the members of their collections, and of objects that they contain,
  /// including subclasses.
  ///
  /// Objects of these classes may contain property-list values, UUIDs and URLs as well. All classes
  /// of an archive are checked before it is decoded. Then `init(coder:)` finds that
  /// `requiresSecureCoding` is false, since Foundation on Linux traps if a value has another class
  /// than the one that was asked for.
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

  /// Returns the value in an archive, or nil if the archive cannot be read or contains a class that
  /// is not allowed.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { try? self.value(of: $0) }
  }

  /// Returns the archive of a value, or nil if its class is not allowed or cannot be archived.
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
