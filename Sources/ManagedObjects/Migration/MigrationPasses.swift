import ManagedObjectModel

/// The three passes of a migration over its entity mappings.
struct MigrationPasses {
  private let manager: NSMigrationManager
  private let state: MigrationState
  private let steps: [(mapping: NSEntityMapping, policy: NSEntityMigrationPolicy)]
  private let progress: MigrationProgress

  /// Creates the policies of all mappings.
  init(manager: NSMigrationManager, state: MigrationState) throws {
    self.manager = manager
    self.state = state
    let mappings = state.mapping.entityMappings ?? []
    steps = try mappings.map { ($0, try MigrationPolicies.policy(for: $0)) }
    progress = MigrationProgress(mappings: mappings.count)
  }

  func run() throws {
    try pass(.objects, createObjects)
    try pass(.relationships, createRelationships)
    try pass(.validation) { _, mapping, policy in
      try policy.performCustomValidation(forMapping: mapping, manager: manager)
      try policy.end(mapping, manager: manager)
    }
  }

  private func pass(
    _ pass: MigrationProgress.Pass,
    _ body: (Int, NSEntityMapping, NSEntityMigrationPolicy) throws -> Void
  ) throws {
    for (index, step) in steps.enumerated() {
      try report(pass, index, done: 0, of: 0)
      state.current = step.mapping
      try body(index, step.mapping, step.policy)
    }
    state.current = nil
  }

  private func createObjects(
    _ index: Int, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
  ) throws {
    try policy.begin(mapping, with: manager)
    let sources = try MappingEvaluation(mapping: mapping, manager: manager, policy: policy)
      .sourceObjects()
    for (done, source) in sources.enumerated() {
      try report(.objects, index, done: done, of: sources.count)
      try source.withStoredValues {
        try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
      }
    }
    try policy.endInstanceCreation(forMapping: mapping, manager: manager)
  }

  private func createRelationships(
    _ index: Int, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
  ) throws {
    let objects = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: nil)
    for (done, object) in objects.enumerated() where !object.isDeleted {
      try report(.relationships, index, done: done, of: objects.count)
      try policy.createRelationships(forDestination: object, in: mapping, manager: manager)
    }
    try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
  }

  private func report(_ pass: MigrationProgress.Pass, _ mapping: Int, done: Int, of count: Int)
    throws
  {
    manager.setProgress(progress.fraction(pass, mapping: mapping, done: done, of: count))
    try manager.checkCancellation()
  }
}
