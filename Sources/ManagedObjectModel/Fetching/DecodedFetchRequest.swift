import Foundation

/// The class that archives name for every fetch request.
///
/// Foundation has no names for generic classes, so it cannot find this class, and decodes the
/// fallback instead. A class that it finds would have to be the one that the caller expects.
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
