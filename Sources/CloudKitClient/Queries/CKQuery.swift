public import Foundation
import GeographicLocations
import PredicateLanguage
import Synchronization

// Sendable: predicates and sort descriptors are immutable; their list is under the lock.
/// A query for records of one type, with a predicate and a sort order.
///
/// ```swift
/// let query = CKQuery(
///   recordType: "Note", predicate: NSPredicate(format: "stars >= 3 AND 'home' IN tags"))
/// query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: false)]
/// ```
///
/// The server compares fields with constants and combines comparisons with `AND` only. `OR` and
/// case-insensitive comparisons are not supported. A query that uses them fails with
/// `CKError.invalidArguments` when it runs. The error names the unsupported part.
open class CKQuery: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The record type.
  public let recordType: CKRecord.RecordType
  /// The predicate that matching records satisfy.
  public let predicate: NSPredicate

  private let order: Mutex<[SortKey]?>

  /// A sort descriptor.
  ///
  /// Foundation does not declare it sendable although it is immutable.
  private struct SortKey: @unchecked Sendable {
    let descriptor: NSSortDescriptor
  }

  /// Creates a query.
  ///
  /// Use `NSPredicate(value: true)` for all records of the type.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    self.recordType = recordType
    self.predicate = predicate
    order = Mutex(nil)
  }

  /// The sort order; nil for any order.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { order.withLock { $0 }?.map(\.descriptor) }
    set {
      let keys = newValue?.map { SortKey(descriptor: $0) }
      order.withLock { $0 = keys }
    }
  }

  // MARK: Archives

  /// Creates a query from an archive; nil if the archive contains none.
  public required convenience init?(coder: NSCoder) {
    guard let recordType = coder.text(Key.recordType),
      let predicate = coder.predicate(Key.predicate)
    else {
      return nil
    }
    self.init(recordType: recordType, predicate: predicate)
    guard coder.containsValue(forKey: Key.sortKeys) else { return }
    let sorts = coder.decodeObject(of: Self.sortClasses, forKey: Key.sortKeys)
    guard let sorts = sorts as? [[Any]] else { return nil }
    let descriptors = sorts.compactMap { Self.descriptor($0) }
    guard descriptors.count == sorts.count else { return nil }
    sortDescriptors = descriptors
  }

  private static let sortClasses: [AnyClass] = [
    NSArray.self, NSString.self, NSNumber.self, CLLocation.self,
  ]

  /// The key and direction of a sort descriptor, with the location if it sorts by distance.
  private static func archived(_ descriptor: NSSortDescriptor) -> NSArray {
    if let near = descriptor as? CKLocationSortDescriptor {
      return [near.locationKey as NSString, NSNumber(value: true), near.relativeLocation] as NSArray
    }
    return [(descriptor.key ?? "") as NSString, NSNumber(value: descriptor.ascending)] as NSArray
  }

  private static func descriptor(_ sort: [Any]) -> NSSortDescriptor? {
    guard sort.count >= 2, let key = sort[0] as? String, let ascending = sort[1] as? Bool else {
      return nil
    }
    if sort.count == 2 { return NSSortDescriptor(key: key, ascending: ascending) }
    return (sort[2] as? CLLocation).map { CKLocationSortDescriptor(key: key, relativeLocation: $0) }
  }

  /// Encodes the query into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(recordType as NSString, forKey: Key.recordType)
    coder.encode(predicate: predicate, forKey: Key.predicate)
    guard let sortDescriptors else { return }
    coder.encode(sortDescriptors.map { Self.archived($0) } as NSArray, forKey: Key.sortKeys)
  }

  private enum Key {
    static let recordType = "RecordType"
    static let predicate = "Predicate"
    static let sortKeys = "SortDescriptors"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns a copy with its own sort order.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuery(recordType: recordType, predicate: predicate)
    copy.sortDescriptors = sortDescriptors
    return copy
  }

  /// The record type and the predicate.
  open override var description: String {
    "<CKQuery: recordType=\(recordType), predicate=\(predicate.formatText)>"
  }
}
