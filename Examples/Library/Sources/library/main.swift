// Finds the models and classes that are linked into the program, without importing their modules.
import CoreData
import Foundation

for name in ["Catalog", "Lending"] {
  guard let model = NSManagedObjectModel.linked(named: name) else {
    print("There is no model \(name).")
    exit(1)
  }
  print("\(name):")
  for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
    let object = NSManagedObject.instantiate(entity)
    let properties = entity.propertiesByName.keys.sorted().joined(separator: ", ")
    print("  \(entity.name ?? "") is a \(type(of: object)) with \(properties)")
  }
}
