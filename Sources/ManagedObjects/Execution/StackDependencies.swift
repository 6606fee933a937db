package import Foundation
package import ManagedObjectModel
package import ObjectRows
package import PredicateLanguage

/// The dependencies of a coordinator, its stores and its contexts: time, randomness, threads,
/// files, names.
///
/// A coordinator keeps the dependencies that are current at its creation, and its stores and
/// contexts use them. A simulation sets its own:
///
/// ```swift
/// StackDependencies.$current.withValue(simulated) { NSPersistentContainer(name: "Notes") }
/// ```
package struct StackDependencies: Sendable {
  /// Time and randomness.
  package private(set) var evaluationDependencies: EvaluationDependencies
  package var makeUUID: @Sendable () -> UUID
  /// The keys of unsaved objects.
  package private(set) var temporaryKeys: TemporaryKeys
  package var scheduler: any BlockScheduler
  package var files: any FileSystem
  /// Observes store files for changes by other processes.
  package var fileObserver: any FileObserver
  /// The name of the process, for persistent history.
  package var processName: String
  /// The identifier of the program, for persistent history.
  package var bundleID: String
  /// The versions of the program's models, one of which wrote a store that has to be migrated.
  package var modelVersions: @Sendable () -> [NSManagedObjectModel] = SourceModels.versions
  /// The bundles whose mapping models migrate stores; nil for those of the program and its modules.
  package var mappingBundles: [Bundle]?
  /// Whether every use of a context and its objects is checked for the right queue.
  package var checksQueues = QueueCheck.isOn

  package init(
    evaluationDependencies: EvaluationDependencies,
    makeUUID: @escaping @Sendable () -> UUID, scheduler: any BlockScheduler, files: any FileSystem,
    processName: String, bundleID: String, fileObserver: any FileObserver = NullFileObserver()
  ) {
    self.evaluationDependencies = evaluationDependencies
    self.makeUUID = makeUUID
    temporaryKeys =
      evaluationDependencies === EvaluationDependencies.real
      ? .usual : TemporaryKeys(randomBits: evaluationDependencies.randomBits)
    self.scheduler = scheduler
    self.files = files
    self.fileObserver = fileObserver
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

  /// The production dependencies.
  package static let real = StackDependencies(
    evaluationDependencies: .real, makeUUID: { .random() },
    scheduler: DispatchScheduler(), files: LocalFiles(),
    processName: ProcessInfo.processInfo.processName,
    bundleID: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
    fileObserver: FileObservers.system)

  /// The dependencies of new coordinators, containers, and contexts without a coordinator.
  @TaskLocal package static var current = StackDependencies.real
}

extension TemporaryKeys {
  /// The key of a new object, with or without a context.
  ///
  /// The source is not retained for each object, because programs create many.
  @inline(__always)
  static func next(for context: NSManagedObjectContext?) -> Int64 {
    guard let context else { return StackDependencies.current.temporaryKeys.next() }
    return context.dependencies.temporaryKeys.next()
  }

  /// The source of keys for new objects, with or without a context.
  static func of(_ context: NSManagedObjectContext?) -> TemporaryKeys {
    context?.dependencies.temporaryKeys ?? StackDependencies.current.temporaryKeys
  }
}
