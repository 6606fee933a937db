public import Foundation
import ManagedObjectModel
import ManagedObjects
public import PredicateLanguage

extension NSPersistentCloudKitContainer {
  /// What an event is about.
  public enum EventType: Int, Sendable {
    /// The account, the zone and the subscription are made ready.
    case setup = 0
    /// Changes come from the cloud.
    case `import` = 1
    /// Changes go to the cloud.
    case export = 2
  }

  /// A setup, an import or an export of a store: when it was, and how it ended.
  ///
  /// The end of an event does not say that everything is in the cloud: `syncState` does.
  public typealias Event = NSPersistentCloudKitContainerEvent
}

// Sendable: immutable.
/// A setup, an import or an export of a store: when it was, and how it ended.
open class NSPersistentCloudKitContainerEvent: NSObject, NSCopying, @unchecked Sendable {
  /// The same for the event's beginning and its end.
  public let identifier: UUID
  /// The UUID of the store.
  public let storeIdentifier: String
  /// What was done.
  public let type: NSPersistentCloudKitContainer.EventType
  /// When it began.
  public let startDate: Date
  /// When it ended; nil while it goes on.
  public let endDate: Date?
  /// Whether it came to its end.
  public let succeeded: Bool
  /// Why it did not.
  public let error: (any Error)?

  package init(
    identifier: UUID, storeIdentifier: String, type: NSPersistentCloudKitContainer.EventType,
    startDate: Date,
    endDate: Date? = nil, succeeded: Bool = false, error: (any Error)? = nil
  ) {
    self.identifier = identifier
    self.storeIdentifier = storeIdentifier
    self.type = type
    self.startDate = startDate
    self.endDate = endDate
    self.succeeded = succeeded
    self.error = error
    super.init()
  }

  /// The event at its end.
  package func ended(at date: Date, error: (any Error)?) -> NSPersistentCloudKitContainerEvent {
    NSPersistentCloudKitContainerEvent(
      identifier: identifier, storeIdentifier: storeIdentifier, type: type, startDate: startDate,
      endDate: date,
      succeeded: error == nil, error: error)
  }

  /// The event itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Events are equal when they are the same one, at its beginning or at its end.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentCloudKitContainerEvent else { return false }
    return identifier == other.identifier && endDate == other.endDate
  }

  /// Equal events have equal hashes.
  open override var hash: Int { identifier.hashValue }

  /// What was done, when, and how it ended.
  open override var description: String {
    let end =
      endDate.map {
        "to \($0), \(error.map { "failed: \($0.localizedDescription)" } ?? "succeeded")"
      } ?? "on"
    return
      "<NSPersistentCloudKitContainer.Event: \(type) of \(storeIdentifier), from \(startDate) \(end)>"
  }
}

extension NSPersistentCloudKitContainerEvent: KeyValueCoding {
  /// The value of a property, for predicates and sort descriptors.
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

  /// Whether there is such a property.
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
