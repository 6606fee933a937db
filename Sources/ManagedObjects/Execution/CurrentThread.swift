#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(WinSDK)
import WinSDK
#endif

/// Identifies the calling thread in a few instructions.
enum CurrentThread {
  /// A number that is unique among living threads, and never 0.
  @inline(__always)
  static var number: UInt {
    #if canImport(WinSDK)
    UInt(GetCurrentThreadId())
    #else
    UInt(pthread_self())
    #endif
  }
}
