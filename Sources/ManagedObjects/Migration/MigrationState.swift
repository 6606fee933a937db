import ManagedObjectModel

/// The state of a migration manager during a migration.
final class MigrationState {
  let mapping: NSMappingModel
  let source: MigrationStack
  let destination: MigrationStack
  var associations = MigrationAssociations()
  var current: NSEntityMapping?

  init(_ mapping: NSMappingModel, source: MigrationStack, destination: MigrationStack) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
  }

  func close() {
    associations = MigrationAssociations()
    source.close()
    destination.close()
  }
}
