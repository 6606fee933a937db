public import Foundation

// On Apple's platforms every object, and with bridging every Foundation value, can be an argument
// of `NSPredicate(format:)`. Foundation makes objects arguments from Swift 6.4 on; before, and for
// values still, it is done here. The values are not encoded when Swift code passes them: the
// initialisers read the elements themselves. Only `withVaList` encodes them, and keeps
// `_cVarArgObject` alive meanwhile.

#if compiler(<6.4)
extension NSObject: @retroactive CVarArg {
  /// The object's address.
  public var _cVarArgEncoding: [Int] {
    unsafe [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}
#endif

/// A Swift value that travels as the Foundation object that stands for it.
public protocol BridgedArgument: _CVarArgObject {}

extension BridgedArgument {
  /// The words of the object that `_cVarArgObject` gives; a value itself has none.
  public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Date: @retroactive _CVarArgObject, BridgedArgument {
  /// The date as an object.
  public var _cVarArgObject: any CVarArg { self as NSDate }
}

extension UUID: @retroactive _CVarArgObject, BridgedArgument {
  /// The identifier as an object.
  public var _cVarArgObject: any CVarArg { self as NSUUID }
}

extension URL: @retroactive _CVarArgObject, BridgedArgument {
  /// The address as an object.
  public var _cVarArgObject: any CVarArg { self as NSURL }
}

extension Data: @retroactive _CVarArgObject, BridgedArgument {
  /// The bytes as an object.
  public var _cVarArgObject: any CVarArg { self as NSData }
}

extension Decimal: @retroactive _CVarArgObject, BridgedArgument {
  /// The number as an object.
  public var _cVarArgObject: any CVarArg { NSDecimalNumber(decimal: self) }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The elements in an object.
  public var _cVarArgObject: any CVarArg { NSArray(array: self) }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The elements in an object.
  public var _cVarArgObject: any CVarArg { NSSet(set: self) }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject, BridgedArgument {
  /// The keys and values in an object.
  public var _cVarArgObject: any CVarArg { self as NSDictionary }
}
