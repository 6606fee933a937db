import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// The commands for stores.
package enum StoreCommands {
  static let modelOption = CommandOption(
    "--model", value: "M",
    "The model that wrote the store, in any form that “model show” accepts. By default, a linked model or the store's own copy."
  )

  static let forms =
    "FILE is any Core Data store in SQLite's format, Apple's included. It is read in place and never changed."

  /// A store, and the model to read it with.
  struct Subject {
    let snapshot: StoreSnapshot
    let model: NSManagedObjectModel
    /// The source of the model.
    let modelOrigin: String
    let schema: StoreSchema
  }

  /// Opens the store that the command line names.
  static func snapshot(_ invocation: Invocation) throws(CommandError) -> StoreSnapshot {
    do {
      return try StoreSnapshot(at: URL(fileURLWithPath: invocation.operands[0]))
    } catch {
      throw CommandError(error.message)
    }
  }

  /// A store, with the model to read it with.
  static func subject(
    _ snapshot: StoreSnapshot, _ model: NSManagedObjectModel, origin: String
  ) throws(CommandError) -> Subject {
    do {
      return Subject(
        snapshot: snapshot, model: model, modelOrigin: origin,
        schema: try snapshot.schema(of: model))
    } catch {
      throw CommandError(error.message)
    }
  }

  /// The reason why a store's model is unknown, with a remedy.
  static func reasonWithoutModel(_ snapshot: StoreSnapshot) throws(CommandError) -> String {
    do {
      let copy =
        switch try snapshot.storedModel() {
        case .unreadable(let reason): "the store's copy of it cannot be read (\(reason))"
        case .absent, .model: "the store has no copy of it"
        }
      return
        "The store's model is unknown: \(copy), and no linked model matches. Give it with --model."
    } catch {
      throw CommandError(error.message)
    }
  }

  /// The model to read a store with, and its source.
  static func model(
    for snapshot: StoreSnapshot, named reference: String?, _ console: any Console
  ) throws(CommandError) -> (NSManagedObjectModel, origin: String)? {
    if let reference { return try givenModel(ModelReference(reference), snapshot, console) }
    let linked = (try? AvailableModels(bundles: nil).allVersions()) ?? []
    if let model = linked.first(where: { snapshot.differences(from: $0).isEmpty }) {
      return (model, "linked in")
    }
    do {
      return try snapshot.storedModel().model.map { ($0, "the store's own copy") }
    } catch {
      throw CommandError(error.message)
    }
  }

  /// The given model, in the version that the command line names, or else in one that matches.
  ///
  /// Throws if that version did not write the store.
  private static func givenModel(
    _ reference: ModelReference, _ snapshot: StoreSnapshot, _ console: any Console
  ) throws(CommandError) -> (NSManagedObjectModel, origin: String) {
    let file = try ModelFile.read(reference.path, console: console)
    var version = try file.version(named: reference.version)
    if reference.version == nil,
      let fitting = file.versions.first(where: { snapshot.differences(from: $0.model).isEmpty })
    {
      version = fitting
    }
    let differences = snapshot.differences(from: version.model)
    guard differences.isEmpty else {
      throw CommandError(
        "The store was not written with \(version.name) of \(reference.path): \(Self.summary(of: differences))."
      )
    }
    return (version.model, "\(reference.path)#\(version.name)")
  }

  /// The first five differences, and the number of the others.
  private static func summary(of differences: [String]) -> String {
    let rest = differences.count - 5
    return differences.prefix(5).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }
}
