import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

/// A delegate that applies reports to its own sections, as a table view does.
final class ReplayingDelegate: NSObject, NSFetchedResultsControllerDelegate {
  /// The reports, as text.
  private(set) var log: [String] = []
  private(set) var sections: [(name: String, objects: [NSManagedObject])] = []
  private(set) var eventCount = 0
  private(set) var updateCount = 0
  private var isChanging = false
  private var deletedSections: [Int] = []
  private var insertedSections: [(section: Int, name: String)] = []
  private var changes: [Change] = []

  private struct Change {
    let object: NSManagedObject
    let kind: NSFetchedResultsChangeType
    let from: IndexPath?
    let to: IndexPath?
  }

  func restart<Result>(_ controller: NSFetchedResultsController<Result>) {
    sections = Self.contents(of: controller)
    log = []
  }

  static func contents<Result>(of controller: NSFetchedResultsController<Result>)
    -> [(name: String, objects: [NSManagedObject])]
  {
    (controller.sections ?? []).map {
      ($0.name, ($0.objects ?? []).compactMap { $0 as? NSManagedObject })
    }
  }

  func matches<Result>(_ controller: NSFetchedResultsController<Result>) -> Bool {
    let contents = Self.contents(of: controller)
    return contents.map(\.name) == sections.map(\.name)
      && zip(contents, sections).allSatisfy { $0.objects == $1.objects }
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    #expect(!isChanging && matches(controller), "The controller does not have its former results.")
    isChanging = true
    log.append("will")
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    #expect(isChanging && changes.isEmpty, "Sections come before objects.")
    log.append(
      "\(type == .insert ? "insert" : "delete") section \(sectionInfo.name)@\(sectionIndex)")
    if type == .insert {
      insertedSections.append((sectionIndex, sectionInfo.name))
    } else {
      deletedSections.append(sectionIndex)
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else {
      Issue.record("\(anObject) is not a managed object.")
      return
    }
    #expect(isChanging)
    log.append("\(type) \(Self.text(indexPath)) \(Self.text(newIndexPath))")
    changes.append(Change(object: object, kind: type, from: indexPath, to: newIndexPath))
  }

  private static func text(_ path: IndexPath?) -> String {
    path.map { "\($0.section).\($0.row)" } ?? "-"
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    #expect(isChanging)
    isChanging = false
    log.append("did")
    eventCount += 1
    apply()
    #expect(matches(controller), "The reports do not lead to the results.")
  }

  private func apply() {
    var shown = sections.map { ($0.name, $0.objects.map(Optional.some)) }
    for change in changes where change.kind != .insert {
      guard let from = change.from else { continue }
      #expect(sections[from.section].objects[from.row] === change.object)
      if change.kind != .update { shown[from.section].1[from.row] = nil }
    }
    sections = shown.map { ($0.0, $0.1.compactMap(\.self)) }
    for section in deletedSections.sorted(by: >) {
      #expect(sections[section].objects.isEmpty)
      sections.remove(at: section)
    }
    for (section, name) in insertedSections.sorted(by: { $0.section < $1.section }) {
      sections.insert((name, []), at: section)
    }
    let arrivals = changes.filter { $0.kind == .insert || $0.kind == .move }
    for change in arrivals.sorted(by: { ($0.to ?? [0, 0]) < ($1.to ?? [0, 0]) }) {
      guard let to = change.to else { continue }
      sections[to.section].objects.insert(change.object, at: to.row)
    }
    for change in changes where change.kind == .update {
      updateCount += 1
      guard let to = change.to else { continue }
      #expect(sections[to.section].objects[to.row] === change.object)
    }
    (changes, deletedSections, insertedSections) = ([], [], [])
  }
}
