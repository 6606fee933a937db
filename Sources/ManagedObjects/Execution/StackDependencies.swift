package import Foundation
package import ObjectRows
package import PredicateLanguage

/// Everything that a coordinator and what belongs to it take from outside: time, chance, threads,
/// files, names.
///
/// A coordinator keeps the dependencies that are current when it is made; its stores and contexts
/// use them. A simulation makes its own current:
///
/// ```swift
/// StackDependencies.$current.withValue(simulated) { NSPersistentContainer(name: "Notes") }
/// ```
package struct StackDependencies: Sendable {
  /// Time and chance.
  package private(set) var evaluationDependencies: EvaluationDependencies
  package var makeUUID: @Sendable () -> UUID
  /// The keys of objects that were not saved yet.
  package private(set) var temporaryKeys: TemporaryKeys
  package var scheduler: any BlockScheduler
  package var files: any FileSystem
  /// What tells when others write the files of stores.
  package var watcher: any FileWatcher
  /// The name of the process, as the history of a store tells it.
  package var processName: String
  /// The identifier of the program, as the history of a store tells it.
  package var bundleID: String
  /// Whether every use of a context and its objects is checked for the right queue.
  package var checksQueues = QueueCheck.isOn

  package init(
    evaluationDependencies: EvaluationDependencies,
    makeUUID: @escaping @Sendable () -> UUID, scheduler: any BlockScheduler, files: any FileSystem,
    processName: String, bundleID: String, watcher: any FileWatcher = NullFileWatcher()
  ) {
    self.evaluationDependencies = evaluationDependencies
    self.makeUUID = makeUUID
    temporaryKeys =
      evaluationDependencies === EvaluationDependencies.real
      ? .usual : TemporaryKeys(randomBits: evaluationDependencies.randomBits)
    self.scheduler = scheduler
    self.files = files
    self.watcher = watcher
    self.processName = processName
    self.bundleID = bundleID
  }

  package var now: @Sendable () -> Date {
    get { evaluationDependencies.now }
    set {
      evaluationDependencies = EvaluationDependencies(
        now: newValue, randomBits: evaluationDependencies.randomBits)
    }
  }

  package var randomBits: @Sendable () -> UInt64 {
    get { evaluationDependencies.randomBits }
    set {
      evaluationDependencies = EvaluationDependencies(
        now: evaluationDependencies.now, randomBits: newValue)
      temporaryKeys = TemporaryKeys(randomBits: newValue)
    }
  }

  /// The real world.
  package static let real = StackDependencies(
    evaluationDependencies: .real, makeUUID: { .byChance() },
    scheduler: DispatchScheduler(), files: LocalFiles(),
    processName: ProcessInfo.processInfo.processName,
    bundleID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
    watcher: FileWatchers.system)

  /// What coordinators, containers and contexts without a coordinator are made with.
  @TaskLocal package static var current = StackDependencies.real
}

extension TemporaryKeys {
  /// The key of a new object of a context, or of one that is made without.
  ///
  /// Many objects are made: the source is not counted as held for each.
  @inline(__always)
  static func next(for context: NSManagedObjectContext?) -> Int64 {
    guard let context else { return StackDependencies.current.temporaryKeys.next() }
    return context.dependencies.temporaryKeys.next()
  }

  /// Where the keys of a context's new objects come from, and of those that are made without one.
  static func of(_ context: NSManagedObjectContext?) -> TemporaryKeys {
    context?.dependencies.temporaryKeys ?? StackDependencies.current.temporaryKeys
  }
}
