import Foundation
import ManagedObjectModel
import ObjectRows

/// What a store is opened with.
struct StorePlan {
  let url: URL?
  let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let configuration: String?
  let options: GivenOptions
  let dependencies: StackDependencies
}
