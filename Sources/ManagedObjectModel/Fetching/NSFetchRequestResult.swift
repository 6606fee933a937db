public import Foundation

/// A type of fetch results: managed objects, their identifiers, dictionaries and counts.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
