import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// A controller's request at the time of a fetch, prepared for its context.
struct ResultsRequest {
  let plan: FetchPlan
  let order: ListOrder<NSObject, SortedObject>
  private let predicate: NSPredicate?
  let context: NSManagedObjectContext

  init(_ plan: FetchPlan, sectionNameKeyPath: String?, in context: NSManagedObjectContext) throws {
    self.plan = plan
    self.context = context
    predicate = try plan.specification.predicate.map(LocalPredicate(context: context).apply)
    order = SortedObject.order(
      plan.specification.sortDescriptors ?? [], sectionName: SectionName(sectionNameKeyPath))
  }

  /// Prepares a fetch request for a controller's context.
  ///
  /// - Throws: `NSCoreDataError` if the request has no sort descriptors.
  init<ResultType>(
    _ request: NSFetchRequest<ResultType>, sectionNameKeyPath: String?,
    in context: NSManagedObjectContext
  ) throws {
    guard request.sortDescriptors?.isEmpty == false else {
      let reason =
        """
        A fetched results controller needs a fetch request with sort descriptors. Set \
        sortDescriptors of its fetchRequest.
        """
      throw cocoaError(NSCoreDataError, reason, ["reason": reason])
    }
    try self.init(
      FetchPlan(request.specification, limitedTo: request.limitedToStores, in: context),
      sectionNameKeyPath: sectionNameKeyPath, in: context)
  }

  /// Whether changes of the results can be tracked.
  var isTrackable: Bool { plan.specification.resultType == .managedObjectResultType }

  /// Whether an object is of a fetched entity.
  func concerns(_ object: NSManagedObject) -> Bool {
    plan.layoutIndexes.contains(object.layout.index)
  }

  /// Whether an object belongs to the results.
  ///
  /// A fault whose row cannot be found does not belong to them.
  func accepts(_ object: NSManagedObject) -> Bool {
    guard object.context === context,
      object.flags.isDisjoint(with: [.deleted, .inaccessible]), !object.isFault || object.hasRow,
      plan.concerns(object, in: context)
    else { return false }
    guard let predicate else { return true }
    return FetchEvaluation.run { predicate.evaluate(with: object) }
  }
}

/// An object with the values by which it is sorted.
struct SortedObject {
  let object: NSObject
  let values: [Any?]

  static func order(
    _ descriptors: [NSSortDescriptor], sectionName: SectionName?
  ) -> ListOrder<NSObject, SortedObject> {
    ListOrder(
      key: { SortedObject($0, descriptors) }, compare: { $0.compare($1, descriptors) },
      sectionName: sectionName.map { name in { name.requiredName(of: $0) } })
  }

  private init(_ object: NSObject, _ descriptors: [NSSortDescriptor]) {
    self.object = object
    values = FetchEvaluation.run {
      descriptors.map { descriptor in
        guard let property = descriptor as? PropertySortDescriptor else { return nil }
        return stopping { try property.value(of: object) }
      }
    }
  }

  private func compare(_ other: SortedObject, _ descriptors: [NSSortDescriptor])
    -> ComparisonResult
  {
    for (index, descriptor) in descriptors.enumerated() {
      let property = descriptor as? PropertySortDescriptor
      let result =
        stopping { try property?.compare(values[index], other.values[index]) }
        ?? descriptor.compare(object, to: other.object)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }
}

/// Returns the body's result, and stops the program if it throws: a change that a context has made
/// cannot be rejected.
private func stopping<Result>(_ body: () throws -> Result) -> Result {
  do {
    return try body()
  } catch {
    preconditionFailure("The objects of a fetched results controller cannot be sorted: \(error)")
  }
}

/// Reads the names of sections.
struct SectionName {
  private let path: PropertySortDescriptor

  init?(_ keyPath: String?) {
    guard let keyPath else { return nil }
    path = PropertySortDescriptor(keyPath, ascending: true, .natural)
  }

  /// The value of the key path as a text; empty if there is no value.
  func name(of object: NSObject) throws -> String {
    switch try FetchEvaluation.run({ try path.value(of: object) }) {
    case nil: ""
    case let text as String: text
    case is NSNull: ""
    case let number as NSNumber: number.stringValue
    case .some(let value): "\(value)"
    }
  }

  fileprivate func requiredName(of object: NSObject) -> String {
    do {
      return try name(of: object)
    } catch {
      preconditionFailure("The name of a section cannot be read: \(error)")
    }
  }

  /// Divides sorted objects into sections.
  ///
  /// - Throws: `NSCoreDataError` if the objects of a section are not next to each other.
  func sections(of objects: [NSObject]) throws -> SectionTable {
    var names: [String] = []
    var counts: [Int] = []
    var known: Set<String> = []
    for (index, object) in objects.enumerated() {
      let name = try name(of: object)
      if name == names.last {
        counts[counts.count - 1] += 1
        continue
      }
      guard known.insert(name).inserted else { throw Self.outOfOrder(name, index) }
      names.append(name)
      counts.append(1)
    }
    return SectionTable(names: names, counts: counts)
  }

  private static func outOfOrder(_ name: String, _ index: Int) -> NSError {
    let reason =
      """
      The fetched object at index \(index) has an out of order section name '\(name)'. Objects \
      must be sorted by section name. Make the first sort descriptor order the objects as \
      sectionNameKeyPath divides them.
      """
    return cocoaError(NSCoreDataError, reason, ["reason": reason])
  }
}
