import Foundation
import ManagedObjectModel
import ObjectRows

/// Tracking the context's events.
extension ResultsTracker: ContextEventObserver {
  func follows(_ layoutIndex: Int) -> Bool {
    isTracking && fetched?.plan.layoutIndexes.contains(layoutIndex) == true
  }

  func contextDidReset() {
    isReset = true
    undelivered = []
  }

  func prepare(_ objects: [NSManagedObject]) {
    guard isTracking, let fetched else { return }
    if held != nil {
      held?.append(contentsOf: objects)
      seenEvents += 1
      return
    }
    let isBehind = seenEvents != context.eventObservers.eventCount - 1
    seenEvents = context.eventObservers.eventCount
    follow(objects, fetched, isBehind: isBehind)
  }

  /// Plans the effect of an event.
  func follow(_ objects: [NSManagedObject], _ fetched: ResultsRequest, isBehind: Bool) {
    applyUndelivered()
    let touched = unique(objects.filter(fetched.concerns))
    if isBehind { return catchUp(fetched, touched) }
    guard !touched.isEmpty else { return }
    context.loadRows(of: touched.filter { $0.context === context })
    plan(fetched, members: touched.filter(fetched.accepts), touched: touched)
  }

  /// Applies changes that an earlier event prepared and that are still to be delivered.
  private func applyUndelivered() {
    for change in undelivered { _ = edit { change.apply(to: &$0) } }
  }

  private func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    var known: Set<ObjectIdentifier> = []
    return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// Plans the effect of touched objects.
  ///
  /// - Parameter members: The objects that belong to the results now.
  private func plan(
    _ fetched: ResultsRequest, members: [NSManagedObject], touched: [NSManagedObject]
  ) {
    let belonging = Set(members.map(ObjectIdentifier.init))
    let prepared = edit { list -> ListEdit<NSObject> in
      var (departed, changed, arrived): ([NSObject], [NSObject], [NSObject]) = ([], [], [])
      for object in touched {
        let belongs = belonging.contains(ObjectIdentifier(object))
        switch (list.place(of: object) != nil, belongs) {
        case (true, true): changed.append(object)
        case (true, false): departed.append(object)
        case (false, true): arrived.append(object)
        case (false, false): break
        }
      }
      owner?.requireResults(arrived)
      return EditPlanner(
        &list, fetched.order, departed: departed, touched: changed, arrived: arrived
      ).plan()
    }
    if let prepared, !prepared.isEmpty { undelivered.append(PreparedChange(prepared)) }
  }

  /// Compares the results with a new fetch, after the controller missed events.
  private func catchUp(_ fetched: ResultsRequest, _ touched: [NSManagedObject]) {
    guard let members = try? context.fetchObjects(fetched.plan) else {
      // The next event tries again.
      seenEvents = -1
      return
    }
    let former = (list?.elements ?? []).compactMap { $0 as? NSManagedObject }
    plan(fetched, members: members, touched: unique(former + members + touched))
  }
}
