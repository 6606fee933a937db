import Foundation
import ManagedObjectModel
import ObjectRows

/// Calling the delegate.
extension ResultsTracker {
  func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    while let change = undelivered.first {
      deliver(change)
      if undelivered.first === change { undelivered.removeFirst() }
    }
    isDelivering = false
    reportNewIdentifiers()
  }

  /// Reports a fetch to a delegate that takes snapshots, and to the streams.
  func reportFetch() {
    temporaries = [:]
    if fetchesObjects {
      recordTemporaries(list?.elements ?? [])
      reportSnapshot(updated: [])
    }
    publish(updated: [])
  }

  // MARK: Identifiers

  /// Remembers the objects whose identifiers will change when they are saved.
  private func recordTemporaries(_ objects: [NSObject]) {
    guard context.hasChanges else { return }
    for case let object as NSManagedObject in objects where object.key < 0 {
      temporaries[ObjectIdentifier(object)] = TemporaryResult(
        object: object, identifier: object.objectID)
    }
  }

  /// Reports the permanent identifiers of objects that were reported with temporary ones.
  private func reportNewIdentifiers() {
    guard !temporaries.isEmpty, isTracking, !isDelivering else { return }
    let renamed = temporaries.values.filter { $0.object.key > 0 }
    guard !renamed.isEmpty else { return }
    for result in renamed { temporaries[ObjectIdentifier(result.object)] = nil }
    let places = renamed.compactMap { result in
      place(of: result.object).map { (place: $0, result: result) }
    }
    guard !places.isEmpty else { return }
    isDelivering = true
    if mayReportWhole, !reportSnapshot(updated: []), sectionNameKeyPath == nil {
      typealias Change = CollectionDifference<NSManagedObjectID>.Change
      let changes = places.flatMap { place, result in
        [
          Change.remove(offset: place, element: result.identifier, associatedWith: nil),
          .insert(offset: place, element: result.object.objectID, associatedWith: nil),
        ]
      }
      if let difference = CollectionDifference<NSManagedObjectID>(changes) {
        _ = call(.difference) { $0.controller($1, didChangeContentWith: difference) }
      }
    }
    publish(updated: [])
    isDelivering = false
  }

  func contextDidFinishSave() { if !isDelivering { reportNewIdentifiers() } }

  private func deliver(_ change: PreparedChange) {
    let fetch = fetchCount
    let listener = delegate
    // The first change shows which methods the delegate has. Later changes need no former list.
    let former = knowledge.hasDelivered ? nil : list
    if mayReportWhole {
      apply(change)
      if reportWhole(change) { return finish(change, for: listener) }
      if let former, fetch == fetchCount { swapList(former) { callWillChange() } }
    } else {
      callWillChange()
    }
    guard fetch == fetchCount else { return }
    apply(change)
    reportParts(change, of: fetch)
    if let former, isUninterested, streams.isEmpty, fetch == fetchCount {
      return stopTracking(former)
    }
    finish(change, for: listener)
  }

  private func apply(_ change: PreparedChange) {
    _ = edit { change.apply(to: &$0) }
    if mayReportWhole || !streams.isEmpty {
      recordTemporaries(change.objects.filter { $0.places.to != nil }.map(\.object))
    }
  }

  private func finish(_ change: PreparedChange, for listener: AnyObject?) {
    // A delegate that was set during the calls has not received any.
    if delegate === listener { knowledge.hasDelivered = true }
    publish(updated: change.updated)
  }

  /// Restores the results for a delegate that has no methods for changes.
  private func stopTracking(_ former: SectionedList<NSObject>) {
    _ = edit { $0 = former }
    undelivered = []
    updateTracking()
  }

  /// Calls a closure while the former results are visible.
  private func swapList(_ former: SectionedList<NSObject>, _ body: () -> Void) {
    var other = former
    _ = edit { swap(&$0, &other) }
    let fetch = fetchCount
    held = []
    body()
    let events = held ?? []
    held = nil
    guard fetch == fetchCount else { return }
    _ = edit { swap(&$0, &other) }
    if let fetched, !events.isEmpty { follow(events, fetched, isBehind: false) }
  }

  // MARK: Calls

  /// Calls a method that the delegate may have, and returns whether it has it.
  private func call(
    _ method: DelegateMethods,
    _ body: (
      any NSFetchedResultsControllerDelegate, NSFetchedResultsController<any NSFetchRequestResult>
    ) -> Void
  ) -> Bool {
    guard let delegate, let sender, !knowledge.missing.contains(method) else { return false }
    body(delegate, sender)
    knowledge.recordCall(method)
    return knowledge.implemented.contains(method)
  }

  private var mayReportWhole: Bool {
    let methods: DelegateMethods =
      sectionNameKeyPath == nil ? [.snapshot, .difference] : .snapshot
    return !knowledge.missing.isSuperset(of: methods)
  }

  /// Calls the method for snapshots, or else the one for differences.
  private func reportWhole(_ change: PreparedChange) -> Bool {
    if reportSnapshot(updated: change.updated) { return true }
    guard sectionNameKeyPath == nil else { return false }
    return call(.difference) {
      $0.controller($1, didChangeContentWith: change.difference)
    }
  }

  @discardableResult
  private func reportSnapshot(updated: [NSObject]) -> Bool {
    call(.snapshot) {
      $0.controller(
        $1,
        didChangeContentWith: NSDiffableDataSourceSnapshotReference(
          FetchedResultsSnapshot(list, updated: updated)))
    }
  }

  private func callWillChange() {
    _ = call(.willChange) { $0.controllerWillChangeContent($1) }
  }

  /// Calls the methods for sections and objects, and then `controllerDidChangeContent(_:)`.
  private func reportParts(_ change: PreparedChange, of fetch: Int) {
    reportSections(change.deletedSections, .delete, of: fetch)
    reportSections(change.insertedSections, .insert, of: fetch)
    for object in change.objects where fetch == fetchCount {
      _ = call(.object) {
        $0.controller(
          $1, didChange: object.object, at: object.from, for: object.kind,
          newIndexPath: object.to)
      }
    }
    if fetch == fetchCount { _ = call(.didChange) { $0.controllerDidChangeContent($1) } }
  }

  private func reportSections(
    _ sections: [(section: Int, name: String)], _ kind: NSFetchedResultsChangeType, of fetch: Int
  ) {
    for (section, name) in sections where fetch == fetchCount {
      let info = ResultsSection(name, of: self)
      _ = call(.section) {
        $0.controller($1, didChange: info, atSectionIndex: section, for: kind)
      }
    }
  }

  // MARK: Streams

  private func publish(updated: [NSObject]) {
    guard !streams.isEmpty else { return }
    streams.publish(FetchedResultsSnapshot(list, updated: updated))
  }
}

/// An object that was reported with its temporary identifier.
struct TemporaryResult {
  let object: NSManagedObject
  let identifier: NSManagedObjectID
}

extension PreparedChange {
  /// The change as removals and insertions; an updated object counts as unchanged.
  var difference: CollectionDifference<NSManagedObjectID> {
    typealias Change = CollectionDifference<NSManagedObjectID>.Change
    var changes: [Change] = []
    for change in objects where change.kind != .update {
      guard let identifier = (change.object as? NSManagedObject)?.objectID else { continue }
      let (from, to) = (change.places.from, change.places.to)
      if let from { changes.append(.remove(offset: from, element: identifier, associatedWith: to)) }
      if let to { changes.append(.insert(offset: to, element: identifier, associatedWith: from)) }
    }
    return CollectionDifference(changes) ?? [].difference(from: [])
  }
}

extension FetchedResultsSnapshot {
  /// Creates a snapshot of a list of managed objects or of identifiers.
  init(_ list: SectionedList<NSObject>?, updated: [NSObject]) {
    func identifiers(_ objects: [NSObject]) -> [NSManagedObjectID] {
      objects.compactMap { ($0 as? NSManagedObject)?.objectID ?? $0 as? NSManagedObjectID }
    }
    let found = identifiers(list?.elements ?? [])
    let sections = found.count == list?.count ? list?.sections : nil
    self.init(
      found, sections ?? SectionTable(names: [""], counts: [found.count]),
      updated: identifiers(updated))
  }
}
