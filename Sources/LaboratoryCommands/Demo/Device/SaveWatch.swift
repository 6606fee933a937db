import Dispatch
import Foundation
import ManagedObjectModel
import ManagedObjects
import ParhelionCommands
import Synchronization

/// Observes the saves of this process: the number of notes, and when short texts arrived.
///
/// It reads only the notifications, not the store, so its cost does not grow with the store.
final class SaveWatch: Sendable {
  private let seen: SeenSaves
  private let observers: [DemoObserver]

  /// The time limit of a wait.
  private static let patienceSeconds = 600

  init() {
    let seen = SeenSaves()
    self.seen = seen
    observers = [
      DemoObserver(.NSManagedObjectContextWillSave) { seen.begin($0) },
      DemoObserver(.NSManagedObjectContextDidSave) { seen.end($0) },
    ]
  }

  /// Waits for the save that brings the number of notes to a count.
  func waitForNotes(_ count: Int) async throws -> DemoSpan {
    try await wait("\(count) notes") { $0.notes >= count ? $0.last : nil }
  }

  /// Waits for the save that brings a text.
  func waitForText(_ text: String) async throws -> DemoSpan {
    try await wait("“\(text)”") { $0.texts[text] }
  }

  private func wait(_ what: String, until found: (SeenSaves.State) -> DemoSpan?) async throws
    -> DemoSpan
  {
    let begun = DemoSpan.now
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patienceSeconds)) { [seen] in
      seen.wake()
    }
    for await _ in seen.news {
      if let span = seen.state.withLock({ found($0) }) { return span }
      guard DemoSpan.now - begun < UInt64(Self.patienceSeconds) * 1_000_000_000 else { break }
    }
    throw CommandError("Timed out after \(Self.patienceSeconds) s, waiting for \(what).")
  }
}

/// The state of observed saves.
private final class SeenSaves: Sendable {
  struct State {
    /// The number of inserted notes minus that of deleted ones.
    var notes = 0
    /// The start times of running saves, by their contexts.
    var begun: [ObjectIdentifier: UInt64] = [:]
    var last = DemoSpan.none
    var texts: [String: DemoSpan] = [:]
  }

  let state = Mutex(State())
  private let line = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// The maximum number of objects in a save whose texts are recorded; larger saves are bulk
  /// changes.
  private static let maximumObjectsOfAChange = 4

  /// A stream with an element immediately and after every save.
  var news: AsyncStream<Void> {
    wake()
    return line.stream
  }

  func wake() { line.continuation.yield() }

  func begin(_ notification: Notification) {
    guard let context = notification.object as? NSManagedObjectContext else { return }
    let (key, now) = (ObjectIdentifier(context), DemoSpan.now)
    state.withLock { $0.begun[key] = now }
  }

  func end(_ notification: Notification) {
    let now = DemoSpan.now
    guard let context = notification.object as? NSManagedObjectContext else { return }
    let (key, texts) = (ObjectIdentifier(context), Self.texts(in: notification))
    let difference =
      Self.notes(NSInsertedObjectsKey, notification) - Self.notes(NSDeletedObjectsKey, notification)
    state.withLock { state in
      state.last = DemoSpan(began: state.begun.removeValue(forKey: key) ?? now, ended: now)
      state.notes += difference
      for text in texts where state.texts[text] == nil { state.texts[text] = state.last }
    }
    wake()
  }

  private static func objects(_ key: String, _ notification: Notification) -> Set<NSManagedObject> {
    notification.userInfo?[key] as? Set<NSManagedObject> ?? []
  }

  private static func notes(_ key: String, _ notification: Notification) -> Int {
    objects(key, notification).count { $0.entity.name == "Note" }
  }

  private static func texts(in notification: Notification) -> [String] {
    let changed = [NSInsertedObjectsKey, NSUpdatedObjectsKey].map { objects($0, notification) }
    guard changed.reduce(0, { $0 + $1.count }) <= maximumObjectsOfAChange else { return [] }
    return changed.joined().filter { $0.entity.name == "Note" }.compactMap {
      $0.value(forKey: "text") as? String
    }
  }
}
