public import Foundation

/// A type that a fetch can give: managed objects, their identifiers, dictionaries and counts.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
