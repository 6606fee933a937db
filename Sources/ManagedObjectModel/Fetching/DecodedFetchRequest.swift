import Foundation

/// The class whose name a keyed archive contains for every fetch request.
///
/// Foundation cannot find a generic class by its name, so a decoder uses the fallback class
/// instead. If a decoder found this class, it would reject it: callers expect another one.
final class FetchRequestArchiveClass<Unnamed>: NSObject {
  override class func classFallbacksForKeyedArchiver() -> [String] {
    [NSStringFromClass(DecodedFetchRequest.self)]
  }
}

/// The class that a decoder finds by its name; it then decodes the superclass instead.
final class DecodedFetchRequest: NSFetchRequest<any NSFetchRequestResult> {
  override class func classForKeyedUnarchiver() -> AnyClass {
    NSFetchRequest<any NSFetchRequestResult>.self
  }
}
