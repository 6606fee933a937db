import Foundation
import ManagedObjectModel

/// The entities of persistent history, for fetches with predicates and sort descriptors.
// Sendable: the model is frozen.
final class HistoryModel: @unchecked Sendable {
  static let shared = HistoryModel()

  let transaction = NSEntityDescription()
  let change = NSEntityDescription()
  private let model = NSManagedObjectModel()

  private init() {
    transaction.name = "Transaction"
    transaction.properties =
      ["author", "bundleID", "contextName", "processID", "storeID"].map {
        Self.attribute($0, .stringAttributeType)
      } + [
        Self.attribute("timestamp", .dateAttributeType),
        Self.attribute("token", .transformableAttributeType),
        Self.attribute("transactionNumber", .integer64AttributeType),
      ]
    change.name = "Change"
    change.properties = [
      Self.attribute("changeID", .integer64AttributeType),
      Self.attribute("changeType", .integer64AttributeType),
      Self.attribute("changedEntity", .stringAttributeType),
      Self.attribute("changedObjectID", .transformableAttributeType),
      Self.attribute("tombstone", .transformableAttributeType),
      Self.attribute("updatedProperties", .transformableAttributeType),
    ]
    relate()
    model.entities = [transaction, change]
    model.freeze()
  }

  func fetchRequest(for entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    return request
  }

  private func relate() {
    let changes = NSRelationshipDescription()
    changes.name = "changes"
    changes.destinationEntity = change
    let owner = NSRelationshipDescription()
    owner.name = "transaction"
    owner.destinationEntity = transaction
    owner.maxCount = 1
    changes.inverseRelationship = owner
    owner.inverseRelationship = changes
    transaction.properties.append(changes)
    change.properties.append(owner)
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }
}
