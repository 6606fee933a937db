import CVariadics
import Foundation

/// The arguments of a variadic C function.
///
/// The caller must pass arguments of the types that the format string names. Any other type is
/// undefined behavior, as in C.
@safe final class CArgumentList {
  private let arguments: OpaquePointer

  /// Copies a list, so that the caller's list keeps its position.
  init(_ list: CVaListPointer) {
    guard let arguments = unsafe parhelion_arguments_open(list) else {
      fatalError("There is not enough memory to copy an argument list.")
    }
    unsafe self.arguments = arguments
  }

  deinit { unsafe parhelion_arguments_close(arguments) }

  /// Returns the next argument, read as the conversion's C type.
  func next(for conversion: Placeholder.Conversion) -> Any? {
    switch conversion {
    case .object, .keyPath: return object()
    case .int8: return Int(Int8(truncatingIfNeeded: int()))
    case .int16: return Int(Int16(truncatingIfNeeded: int()))
    case .int32: return Int(int())
    case .int64: return Int(longLong())
    case .uint8: return Int(UInt8(truncatingIfNeeded: int()))
    case .uint16, .utf16: return Int(UInt16(truncatingIfNeeded: int()))
    case .uint32: return Int(UInt32(truncatingIfNeeded: int()))
    case .uint64: return Number.unsigned(UInt64(bitPattern: Int64(longLong()))).boxed
    case .double: return unsafe parhelion_arguments_next_double(arguments)
    case .cString:
      return unsafe pointer().map { unsafe String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    case .utf16String:
      return unsafe pointer().map { unsafe String(utf16: $0.assumingMemoryBound(to: UInt16.self)) }
    }
  }

  private func int() -> CInt { unsafe parhelion_arguments_next_int(arguments) }

  private func longLong() -> CLongLong { unsafe parhelion_arguments_next_long_long(arguments) }

  private func pointer() -> UnsafeRawPointer? {
    unsafe UnsafeRawPointer(parhelion_arguments_next_pointer(arguments))
  }

  private func object() -> Any? {
    guard let pointer = unsafe pointer() else { return nil }
    return unsafe unwrapped(Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
  }
}

extension String {
  /// Reads UTF-16 units up to a zero unit.
  init(utf16 units: UnsafePointer<UInt16>) {
    var count = 0
    while unsafe units[count] != 0 { count += 1 }
    self = unsafe String(decoding: UnsafeBufferPointer(start: units, count: count), as: UTF16.self)
  }
}
