import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// The model of a cook's application, with features that only SQLite stores support.
enum KitchenModel {
  static func make() -> NSManagedObjectModel {
    let (recipe, ingredient, cook) = (entity("Recipe"), entity("Ingredient"), entity("Cook"))
    let title = attribute("title", .stringAttributeType, isOptional: false)
    title.setValidationPredicates(
      [NSPredicate(format: "length <= 20")], withValidationWarnings: nil)
    let servings = attribute("servings", .integer16AttributeType, default: 2)
    servings.setValidationPredicates(
      [NSPredicate(format: "SELF >= 1"), NSPredicate(format: "SELF <= 12")],
      withValidationWarnings: nil)
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    recipe.properties = [
      title, servings, photo, attribute("price", .decimalAttributeType),
      attribute("cooked", .dateAttributeType),
      attribute("tags", .transformableAttributeType), attribute("rating", .doubleAttributeType),
      plate,
      derived("slug", .stringAttributeType, "canonical:(title)"),
      derived("parts", .integer64AttributeType, "ingredients.@count"),
    ]
    ingredient.properties = [
      attribute("name", .stringAttributeType), attribute("grams", .doubleAttributeType),
    ]
    cook.properties = [attribute("name", .stringAttributeType)]
    relate(recipe, "ingredients", to: ingredient, "recipe", .cascadeDeleteRule)
    relate(cook, "recipes", to: recipe, "cook", .denyDeleteRule)
    let model = NSManagedObjectModel()
    model.entities = [recipe, ingredient, cook]
    let cheap = NSFetchRequest<any NSFetchRequestResult>(entityName: "Recipe")
    cheap.predicate = NSPredicate(format: "price <= $LIMIT")
    cheap.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    model.setFetchRequestTemplate(cheap, forName: "cheap")
    return model
  }

  private static var plate: NSCompositeAttributeDescription {
    let plate = NSCompositeAttributeDescription()
    plate.name = "plate"
    plate.isOptional = true
    plate.elements = [
      attribute("width", .doubleAttributeType), attribute("colour", .stringAttributeType),
    ]
    return plate
  }

  private static func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }

  static func attribute(
    _ name: String, _ type: NSAttributeType, default value: Any? = nil, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    attribute.isOptional = isOptional
    return attribute
  }

  private static func derived(
    _ name: String, _ type: NSAttributeType, _ format: String
  ) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    attribute.derivationExpression = PredicateLanguage.NSExpression(format: format)
    return attribute
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, to other: NSEntityDescription, _ inverse: String,
    _ rule: NSDeleteRule
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, back.name) = (name, inverse)
    (there.maxCount, back.maxCount) = (0, 1)
    (there.deleteRule, back.deleteRule) = (rule, .nullifyDeleteRule)
    (there.destinationEntity, back.destinationEntity) = (other, one)
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    there.isOptional = true
    back.isOptional = true
    one.properties += [there]
    other.properties += [back]
  }
}

/// The application: a container with a store in a temporary folder, which is removed with the
/// kitchen.
// Sendable: the container is Sendable, and the folder never changes.
final class Kitchen: @unchecked Sendable {
  let container: NSPersistentContainer
  let folder: URL

  /// Creates an application with a loaded store.
  ///
  /// - Parameter configure: Changes the description before the store is loaded.
  init(
    model: NSManagedObjectModel = KitchenModel.make(),
    _ configure: (NSPersistentStoreDescription) -> Void = { _ in }
  ) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("kitchen-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = NSPersistentContainer(name: "Kitchen", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: file)
    configure(description)
    container.persistentStoreDescriptions = [description]
    try load()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var file: URL { folder.appendingPathComponent("Kitchen.sqlite") }
  var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

  private func load() throws {
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = failure ?? error }
    if let failure { throw failure }
  }

  /// Runs a block on the queue of a new context.
  func inContext<Result>(_ body: (NSManagedObjectContext) throws -> Result) rethrows -> Result {
    let context = container.newBackgroundContext()
    return try context.performAndWait { try body(context) }
  }
}

extension NSManagedObjectContext {
  /// A new recipe.
  @discardableResult
  func recipe(_ title: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let recipe = NSEntityDescription.insertNewObject(forEntityName: "Recipe", into: self)
    recipe.setValue(title, forKey: "title")
    recipe.setValuesForKeys(values)
    return recipe
  }

  /// The titles of the recipes that match a predicate, in order.
  func titles(_ format: String? = nil, _ arguments: Any...) throws -> [String] {
    try recipes(format.map { NSPredicate(format: $0, argumentArray: arguments) }).map {
      $0.dishTitle
    }
  }

  func recipes(_ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Recipe")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try fetch(request)
  }
}

extension NSManagedObject {
  var dishTitle: String { value(forKey: "title") as? String ?? "" }
}
