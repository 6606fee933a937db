import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// What unsaved changes make of the results of a fetch.
struct PendingOverlay {
  private let plan: FetchPlan
  private let context: NSManagedObjectContext
  /// The objects of the fetched entity with changes, in the order of their first changes.
  private let changed: [NSManagedObject]
  private let predicate: NSPredicate?

  /// Nil where no change concerns the fetch.
  init?(_ plan: FetchPlan, in context: NSManagedObjectContext) throws {
    let changed = context.changes.objects.filter { plan.concerns($0, in: context) }
    guard !changed.isEmpty else { return nil }
    self.plan = plan
    self.context = context
    self.changed = Array(changed)
    predicate = try plan.specification.predicate.map(LocalPredicate(context: context).apply)
  }

  /// How many of the changed objects a store knows.
  var savedCount: Int { changed.count { !$0.flags.contains(.unsaved) } }

  /// Drops what was deleted or does not match any more, adds what matches now, and sorts.
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
    return try objects.sorted(following: descriptors)
  }

  /// Whether an object meets the condition with the values that it has in memory.
  private func accepts(_ object: NSManagedObject) throws -> Bool {
    try predicate?.evaluated(with: object) ?? true
  }

  /// By how much the number of results differs from what the stores count.
  func difference(_ plan: FetchPlan) throws -> Int {
    let matching = try changed.count { try $0.flags.change != .deletion && accepts($0) }
    let saved = changed.filter { !$0.flags.contains(.unsaved) }
    guard !saved.isEmpty, let source = context.source else { return matching }
    let among = NSComparisonPredicate(
      leftExpression: PredicateLanguage.NSExpression.expressionForEvaluatedObject(),
      rightExpression: PredicateLanguage.NSExpression(forConstantValue: saved.map(\.objectID)),
      modifier: .direct, type: .in)
    var counted = plan
    counted.specification.predicate =
      plan.specification.predicate.map {
        NSCompoundPredicate(andPredicateWithSubpredicates: [among, $0])
      } ?? among
    return matching - (try source.count(counted.fetch, in: counted.stores))
  }
}
