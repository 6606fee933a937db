public import Foundation
import ManagedObjectModel
import ManagedObjects
public import PredicateLanguage

extension NSPersistentCloudKitContainer {
  /// The type of an event.
  public enum EventType: Int, Sendable {
    /// The setup of account, zone and subscription.
    case setup = 0
    /// An import of remote changes.
    case `import` = 1
    /// An export of local changes.
    case export = 2
  }

  /// A setup, an import or an export of a store.
  ///
  /// The end of an event does not mean that everything is in the cloud. Use `syncState` for that.
  public typealias Event = NSPersistentCloudKitContainerEvent
}

// Sendable: immutable.
/// A setup, an import or an export of a store.
open class NSPersistentCloudKitContainerEvent: NSObject, NSCopying, @unchecked Sendable {
  /// The identifier, which is the same at the start and at the end of the event.
  public let identifier: UUID
  /// The store's UUID.
  public let storeIdentifier: String
  /// The type of the event.
  public let type: NSPersistentCloudKitContainer.EventType
  /// The date at which the event started.
  public let startDate: Date
  /// The date at which the event ended, or nil while it runs.
  public let endDate: Date?
  /// Whether the event ended without an error.
  public let succeeded: Bool
  /// The error that ended the event, if any.
  public let error: (any Error)?

  package init(
    identifier: UUID, storeIdentifier: String, type: NSPersistentCloudKitContainer.EventType,
    startDate: Date, endDate: Date? = nil, succeeded: Bool = false, error: (any Error)? = nil
  ) {
    (self.identifier, self.storeIdentifier, self.type) = (identifier, storeIdentifier, type)
    (self.startDate, self.endDate, self.succeeded) = (startDate, endDate, succeeded)
    self.error = error
    super.init()
  }

  /// The event at its end.
  package func ended(at date: Date, error: (any Error)?) -> NSPersistentCloudKitContainerEvent {
    NSPersistentCloudKitContainerEvent(
      identifier: identifier, storeIdentifier: storeIdentifier, type: type, startDate: startDate,
      endDate: date, succeeded: error == nil, error: error)
  }

  /// Returns the event itself, because events are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns whether two events have the same identifier and the same end.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentCloudKitContainerEvent else { return false }
    return identifier == other.identifier && endDate == other.endDate
  }

  /// Equal events have equal hashes.
  open override var hash: Int { identifier.hashValue }

  /// A description of the type, the dates and the result.
  open override var description: String {
    let end =
      endDate.map {
        "to \($0), \(error.map { "failed: \($0.localizedDescription)" } ?? "succeeded")"
      } ?? "on"
    return
      "<NSPersistentCloudKitContainer.Event: \(type) of \(storeIdentifier), from \(startDate) "
      + "\(end)>"
  }
}

extension NSPersistentCloudKitContainerEvent: KeyValueCoding {
  /// Returns the value of a property, for predicates and sort descriptors.
  ///
  /// Parhelion's addition.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "identifier": identifier
    case "storeIdentifier": storeIdentifier
    case "type": NSNumber(value: type.rawValue)
    case "startDate": startDate
    case "endDate": endDate
    case "succeeded": NSNumber(value: succeeded)
    default: nil
    }
  }

  /// Returns whether events have a property of this name.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    EventModel.shared.event.propertiesByName[key] != nil
  }
}

/// The entity of events, so that they can be fetched with predicates and sort descriptors.
// Sendable: the model is frozen.
final class EventModel: @unchecked Sendable {
  static let shared = EventModel()

  let event = NSEntityDescription()
  private let model = NSManagedObjectModel()

  private init() {
    event.name = "Event"
    event.properties = [
      Self.attribute("identifier", .UUIDAttributeType),
      Self.attribute("storeIdentifier", .stringAttributeType),
      Self.attribute("type", .integer64AttributeType),
      Self.attribute("startDate", .dateAttributeType),
      Self.attribute("endDate", .dateAttributeType),
      Self.attribute("succeeded", .booleanAttributeType),
    ]
    model.entities = [event]
    model.freeze()
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }
}
