package import Foundation

/// The compiled mapping models in the resources of bundles.
package struct AvailableMappings {
  private let files: [URL]

  /// Finds the mapping models in bundles; for nil, in the resources of the program and its modules.
  package init(bundles: [Bundle]?) {
    files = CompiledModelFiles.mappings(
      in: bundles.map(CompiledModelFiles.folders(of:))
        ?? CompiledModelFiles.folders(ofProgramIn: .main))
  }

  /// Returns the mapping model between two models; of several, the one with the most entity
  /// mappings.
  ///
  /// A file that cannot be read is skipped with a warning.
  package func first(from source: NSManagedObjectModel, to destination: NSManagedObjectModel)
    -> NSMappingModel?
  {
    let fitting = files.compactMap(read).filter {
      MappingFit($0, from: source, to: destination).isComplete
    }
    let most = fitting.map(\.entityMappings.count).max()
    return fitting.first { $0.entityMappings.count == most }
  }

  private func read(_ file: URL) -> NSMappingModel? {
    do {
      return try CompiledMapping.read(contentsOf: file)
    } catch {
      LogLine.warn("The mapping model \(file.path) is skipped: \(error)")
      return nil
    }
  }
}
