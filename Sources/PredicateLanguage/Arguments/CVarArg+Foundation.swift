public import Foundation

// On Apple's platforms every object, and with bridging every Foundation value, can be an argument
// of `NSPredicate(format:)`. From Swift 6.4 on, Foundation declares the conformance of objects to
// `CVarArg`. This file declares it for earlier versions, and the conformances of values for all
// versions. The variadic initialisers read the arguments directly. Only `withVaList` encodes them,
// and it keeps `_cVarArgObject` alive meanwhile.

#if compiler(<6.4)
extension NSObject: @retroactive CVarArg {
  /// The object's address.
  public var _cVarArgEncoding: [Int] {
    unsafe [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}
#endif

/// A Swift value that is passed as its Foundation object.
public protocol BridgedArgument: _CVarArgObject {}

extension BridgedArgument {
  /// The encoding of the object in `_cVarArgObject`; the value itself has none.
  public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Date: @retroactive _CVarArgObject, BridgedArgument {
  /// The date as an `NSDate`.
  public var _cVarArgObject: any CVarArg { self as NSDate }
}

extension UUID: @retroactive _CVarArgObject, BridgedArgument {
  /// The identifier as an `NSUUID`.
  public var _cVarArgObject: any CVarArg { self as NSUUID }
}

extension URL: @retroactive _CVarArgObject, BridgedArgument {
  /// The URL as an `NSURL`.
  public var _cVarArgObject: any CVarArg { self as NSURL }
}

extension Data: @retroactive _CVarArgObject, BridgedArgument {
  /// The bytes as an `NSData`.
  public var _cVarArgObject: any CVarArg { self as NSData }
}

extension Decimal: @retroactive _CVarArgObject, BridgedArgument {
  /// The number as an `NSDecimalNumber`.
  public var _cVarArgObject: any CVarArg { NSDecimalNumber(decimal: self) }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The elements as an `NSArray`.
  public var _cVarArgObject: any CVarArg { NSArray(array: self) }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The elements as an `NSSet`.
  public var _cVarArgObject: any CVarArg { NSSet(set: self) }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The keys and values as an `NSDictionary`.
  public var _cVarArgObject: any CVarArg { self as NSDictionary }
}
