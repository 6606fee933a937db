import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Adjusts the results of a fetch for unsaved changes.
struct PendingOverlay {
  private let plan: FetchPlan
  private let context: NSManagedObjectContext
  /// The changed objects of the fetched entity, in the order of their first changes.
  private let changed: [NSManagedObject]
  private let predicate: NSPredicate?

  /// Creates the overlay, or nil if no change affects the fetch.
  init?(_ plan: FetchPlan, in context: NSManagedObjectContext) throws {
    let changed = context.changes.objects.filter { plan.concerns($0, in: context) }
    guard !changed.isEmpty else { return nil }
    self.plan = plan
    self.context = context
    self.changed = Array(changed)
    predicate = try plan.specification.predicate.map(LocalPredicate(context: context).apply)
  }

  /// The number of changed objects that a store knows.
  var savedCount: Int { changed.count { !$0.flags.contains(.unsaved) } }

  /// Removes deleted and no longer matching objects, adds newly matching ones, and sorts.
  func apply(to stored: [NSManagedObject]) throws -> [NSManagedObject] {
    var seen = Set<ObjectIdentifier>()
    var isOutOfOrder = false
    var objects = try stored.filter { object in
      guard let change = object.flags.change else { return !object.flags.contains(.deleted) }
      seen.insert(ObjectIdentifier(object))
      guard change != .deletion, try accepts(object) else { return false }
      isOutOfOrder = true
      return true
    }
    for object in changed
    where object.flags.change != .deletion && !seen.contains(ObjectIdentifier(object)) {
      guard try accepts(object) else { continue }
      objects.append(object)
      isOutOfOrder = true
    }
    guard isOutOfOrder, let descriptors = plan.specification.sortDescriptors, !descriptors.isEmpty
    else {
      return objects
    }
    return try FetchEvaluation.run { try objects.sorted(following: descriptors) }
  }

  /// Whether an object's values in memory match the predicate.
  private func accepts(_ object: NSManagedObject) throws -> Bool {
    guard let predicate else { return true }
    return try FetchEvaluation.run { try predicate.evaluated(with: object) }
  }

  /// The difference between the number of results and the stores' count.
  func difference(_ plan: FetchPlan) throws -> Int {
    let matching = try changed.count { try $0.flags.change != .deletion && accepts($0) }
    let saved = changed.filter { !$0.flags.contains(.unsaved) }
    guard !saved.isEmpty, let source = context.source else { return matching }
    let stored = try context.inStepWithParent {
      let among = NSComparisonPredicate(
        leftExpression: PredicateLanguage.NSExpression.expressionForEvaluatedObject(),
        rightExpression: PredicateLanguage.NSExpression(forConstantValue: saved.map(\.objectID)),
        modifier: .direct, type: .in)
      var counted = plan
      counted.specification.predicate =
        plan.specification.predicate.map {
          NSCompoundPredicate(andPredicateWithSubpredicates: [among, $0])
        } ?? among
      return try source.count(counted.fetch, in: counted.stores)
    }
    return matching - stored
  }
}
