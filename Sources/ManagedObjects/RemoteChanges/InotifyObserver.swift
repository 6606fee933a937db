#if canImport(Glibc)
package import Foundation
import ObjectRows
package import Synchronization

/// Observes files with inotify, on one thread that sleeps in the kernel while nothing happens.
package final class InotifyObserver: FileObserver {
  /// The watched files of one folder.
  private struct Interest {
    let id: Int
    let folder: Int32
    let names: Set<String>
    let check: @Sendable () -> Bool
    var plan = RecheckPlan()
  }

  private struct State {
    var inotify: Inotify?
    var interests: [Interest] = []
    var lastID = 0
  }

  private let state = Mutex(State())
  /// The number of times that the thread woke up.
  package let wakeups = Atomic<Int>(0)

  package init() {}

  deinit { state.withLock { $0.inotify }?.wake() }

  package func observe(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
    -> any FileObservation
  {
    let folders = Dictionary(
      grouping: files.map { $0.resolvingSymlinksInPath() },
      by: { $0.deletingLastPathComponent().path })
    var ids: [Int] = []
    do {
      for (path, files) in folders.sorted(by: { $0.key < $1.key }) {
        ids.append(try add(path, Set(files.map(\.lastPathComponent)), check))
      }
    } catch {
      remove(ids)
      throw error
    }
    return Observation(observer: self, ids: ids)
  }

  private final class Observation: FileObservation {
    private let observer: InotifyObserver
    private let ids: [Int]

    init(observer: InotifyObserver, ids: [Int]) {
      self.observer = observer
      self.ids = ids
    }

    func end() { observer.remove(ids) }
    deinit { end() }
  }

  // MARK: Interests

  private func add(_ path: String, _ names: Set<String>, _ check: @escaping @Sendable () -> Bool)
    throws -> Int
  {
    try state.withLock { state in
      let inotify = try state.inotify ?? start()
      state.inotify = inotify
      guard let folder = inotify.watch(path) else {
        throw StoreError(
          .cannotWatch,
          "The folder \(path) cannot be watched: \(Inotify.lastError). Raise fs.inotify.max_user_watches, or add the store without NSPersistentStoreRemoteChangeNotificationPostOptionKey.",
          context: ["file": path])
      }
      state.lastID += 1
      state.interests.append(Interest(id: state.lastID, folder: folder, names: names, check: check))
      return state.lastID
    }
  }

  private func remove(_ ids: [Int]) {
    state.withLock { state in
      let folders = Set(state.interests.filter { ids.contains($0.id) }.map(\.folder))
      state.interests.removeAll { ids.contains($0.id) }
      for folder in folders.sorted() where !state.interests.contains(where: { $0.folder == folder })
      {
        state.inotify?.unwatch(folder)
      }
    }
  }

  // MARK: Thread

  /// Starts the thread, which runs until the observer is deallocated.
  private func start() throws -> Inotify {
    guard let inotify = Inotify() else {
      throw StoreError(
        .cannotWatch,
        "The system cannot report changes to files: \(Inotify.lastError). Raise fs.inotify.max_user_instances, or add the store without NSPersistentStoreRemoteChangeNotificationPostOptionKey."
      )
    }
    Thread.detachNewThread { [weak self] in
      while true {
        inotify.wait(milliseconds: self?.millisecondsToNextCheck)
        guard let self else { return inotify.close() }
        if turn(inotify) { rest() }
      }
    }
    return inotify
  }

  /// The time until the next check; nil if none is due.
  private var millisecondsToNextCheck: Int32? {
    guard let due = state.withLock({ $0.interests.compactMap(\.plan.due).min() }) else {
      return nil
    }
    let wait = ContinuousClock.now.duration(to: due)
    return Int32(clamping: max(0, Int64((wait / .milliseconds(1)).rounded(.up))))
  }

  /// After a check, waits a moment regardless of writes: a save writes many pages, and each would
  /// wake the thread.
  ///
  /// The kernel keeps the events, and combines unread ones of the same file.
  private func rest() {
    let gap = Int32(RecheckPlan.gap / .milliseconds(1))
    Inotify.rest(milliseconds: min(gap, millisecondsToNextCheck ?? gap))
  }

  /// Takes the kernel's events, and runs the checks that are due.
  ///
  /// - Returns: Whether a check was run.
  private func turn(_ inotify: Inotify) -> Bool {
    wakeups.add(1, ordering: .relaxed)
    record(inotify.events())
    let checks = dueChecks()
    for (id, check) in checks {
      let foundChange = check()
      state.withLock { state in
        guard let index = state.interests.firstIndex(where: { $0.id == id }) else { return }
        state.interests[index].plan.recordCheck(foundChange: foundChange, at: .now)
      }
    }
    return !checks.isEmpty
  }

  private func record(_ events: [Inotify.Event]) {
    guard !events.isEmpty else { return }
    let now = ContinuousClock.now
    let lostEvents = events.contains { $0.folder < 0 }
    let names = Dictionary(grouping: events, by: \.folder).mapValues { events in
      (names: Set(events.map(\.name)), isEnd: events.contains(where: \.isEnd))
    }
    state.withLock { state in
      for index in state.interests.indices {
        let interest = state.interests[index]
        let events = names[interest.folder]
        guard
          lostEvents || events?.isEnd == true
            || !interest.names.isDisjoint(with: events?.names ?? [])
        else { continue }
        state.interests[index].plan.recordWrite(at: now)
      }
    }
  }

  private func dueChecks() -> [(id: Int, check: @Sendable () -> Bool)] {
    let now = ContinuousClock.now
    return state.withLock { state in
      state.interests.filter { interest in interest.plan.due.map { $0 <= now } ?? false }.map {
        ($0.id, $0.check)
      }
    }
  }
}
#endif
