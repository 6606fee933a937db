public import Foundation
import GeographicLocations
import PredicateLanguage
import Synchronization

// Sendable: predicates and sort descriptors never change; the list of these is under the lock.
/// What to look for: records of one type that a predicate describes, in an order.
///
/// ```swift
/// let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars >= 3 AND 'home' IN tags"))
/// query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: false)]
/// ```
///
/// The server compares fields with constants, and all comparisons of a query must hold: `OR`, and
/// texts without regard to case, cannot be asked for. A query that says more is refused when it is
/// run, with `CKError.invalidArguments` and a sentence that names what cannot be.
open class CKQuery: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The type of the records.
  public let recordType: CKRecord.RecordType
  /// What the records are like.
  public let predicate: NSPredicate

  private let order: Mutex<[SortKey]?>

  /// Sort descriptors, which Foundation does not call sendable although they never change.
  private struct SortKey: @unchecked Sendable {
    let descriptor: NSSortDescriptor
  }

  /// A query for records of a type that a predicate describes; `NSPredicate(value: true)` for all.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    self.recordType = recordType
    self.predicate = predicate
    order = Mutex(nil)
  }

  /// The order of the records; nil for any.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { order.withLock { $0 }?.map(\.descriptor) }
    set {
      let keys = newValue?.map { SortKey(descriptor: $0) }
      order.withLock { $0 = keys }
    }
  }

  // MARK: Archives

  /// Reads a query from an archive; nil where it holds none.
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

  /// The key and the direction; of an order by distance the place as well.
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

  /// Writes the query into an archive: the predicate as its format with the constants that no
  /// format says, of the order its keys and places.
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

  /// True: a query is archived as texts, numbers, places and references.
  public static var supportsSecureCoding: Bool { true }

  /// A query for the same, whose order can be changed by itself.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuery(recordType: recordType, predicate: predicate)
    copy.sortDescriptors = sortDescriptors
    return copy
  }

  /// The type and the predicate.
  open override var description: String {
    "<CKQuery: recordType=\(recordType), predicate=\(predicate.formatText)>"
  }
}
