import Foundation
import ManagedObjectModel
import ManagedObjects
import ParhelionCommands
import PredicateLanguage

/// Carries out the orders of benchmarks.
struct MeasuredDevice {
  let store: DemoStore
  let watch: SaveWatch

  /// The number of notes per save.
  private static let notesInSave = 1_000

  /// Creates notes of a kilobyte; returns the time span from the first save's start to the last
  /// one's end.
  func fill(first: Int, count: Int) async throws -> DemoSpan {
    try await inSaves(first, count) { context, numbers in Self.makeNotes(numbers, in: context) }
  }

  /// Creates notes of a kilobyte.
  static func makeNotes(_ numbers: Range<Int>, in context: NSManagedObjectContext) {
    for number in numbers {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(title(number), forKey: "title")
      note.setValue(text("What was said that day"), forKey: "text")
    }
  }

  /// Replaces the texts of notes.
  func overwrite(first: Int, count: Int, text: String) async throws -> DemoSpan {
    try await inSaves(first, count) { context, numbers in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(
        format: "title >= %@ AND title < %@", Self.title(numbers.lowerBound),
        Self.title(numbers.upperBound))
      let notes = try context.fetch(request)
      guard notes.count == numbers.count else {
        throw CommandError("There are \(notes.count) of \(numbers.count) notes to overwrite.")
      }
      for note in notes { note.setValue(Self.text(text), forKey: "text") }
    }
  }

  /// The counts and the digest of the content.
  func sum() async throws -> DemoSum {
    let view = try await store.view()
    return DemoSum(
      notes: view.contents.notes.count, digest: view.contents.digest,
      pendingCount: view.pendingCount)
  }

  private func inSaves(
    _ first: Int, _ count: Int,
    _ body: @escaping @Sendable (NSManagedObjectContext, Range<Int>) throws -> Void
  ) async throws -> DemoSpan {
    var all: DemoSpan?
    for start in stride(from: first, to: first + count, by: Self.notesInSave) {
      let numbers = start..<min(start + Self.notesInSave, first + count)
      let span = try await store.save { try body($0, numbers) }
      all = DemoSpan(began: all?.began ?? span.began, ended: span.ended)
    }
    return all ?? .none
  }

  /// A title that sorts by its number.
  private static func title(_ number: Int) -> String {
    "Note \(String(10_000_000 + number).dropFirst())"
  }

  /// A text that makes a note a kilobyte long.
  private static func text(_ beginning: String) -> String {
    let filling = "It was agreed that nothing more should be said about it. "
    return String((beginning + ". " + String(repeating: filling, count: 18)).prefix(1_012))
  }
}
