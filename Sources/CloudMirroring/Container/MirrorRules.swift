import CloudKitClient
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows

/// The requirements for mirroring a store.
enum MirrorRules {
  /// Throws an error that explains why a store cannot be mirrored.
  static func check(_ request: StoreOpeningRequest) throws {
    guard request.type == NSSQLiteStoreType else {
      throw refusal(
        "requires stores of the type \(NSSQLiteStoreType), not \(request.type)", request)
    }
    guard request.options?[NSReadOnlyPersistentStoreOption].map(isOff) ?? true else {
      throw refusal(
        "requires a store that can be written: remove the option "
          + "\(NSReadOnlyPersistentStoreOption)",
        request)
    }
    for key in needed where request.options?[key].map(isOff) ?? false {
      throw refusal("requires the option \(key), which is switched off", request)
    }
    _ = try schema(request)
  }

  /// Returns the options together with those that mirroring needs.
  static func completed(_ options: [AnyHashable: Any]) -> [AnyHashable: Any] {
    var options = options
    for key in needed where options[key] == nil { options[key] = NSNumber(value: true) }
    return options
  }

  private static let needed = [
    NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
  ]

  private static func isOff(_ value: Any) -> Bool { (value as? NSNumber)?.boolValue == false }

  /// The schema of the store's model.
  static func schema(_ request: StoreOpeningRequest) throws -> MirrorSchema {
    do throws(ModelRuleErrors) {
      return try MirrorSchema(
        model: request.model, configuration: request.configuration,
        isPublic: request.mirrorOptions?.databaseScope == .public)
    } catch {
      throw error.cocoaError
    }
  }

  static func inUse(_ url: URL) -> NSError {
    MirrorError(.storeInUse, "Another container of this process mirrors the store at \(url.path).")
      .cocoaError(in: nil)
  }

  private static func refusal(_ sentence: String, _ request: StoreOpeningRequest) -> NSError {
    let store = request.url.map { "the store at \($0.path)" } ?? "a store without a URL"
    return cocoaError(NSCoreDataError, "CloudKit integration \(sentence): \(store) is not opened.")
  }
}

extension StoreOpeningRequest {
  /// The mirroring options; nil for a store that is not mirrored.
  var mirrorOptions: NSPersistentCloudKitContainerOptions? {
    options?[MirrorOption.key] as? NSPersistentCloudKitContainerOptions
  }
}

extension MirrorSchema {
  /// Returns the sent properties of a layout, by ordinal; nil for an entity that is not mirrored.
  var tracked: @Sendable (RowLayout) -> OrdinalSet? {
    { layout in
      guard let entity = layout.entity.name.flatMap({ self[$0] }) else { return nil }
      return OrdinalSet(entity.sentProperties.compactMap(layout.ordinal(of:)))
    }
  }
}
