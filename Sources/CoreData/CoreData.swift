@_exported public import CModelRegistry
@_exported public import CloudMirroring
@_exported public import Foundation
@_exported public import ManagedObjectModel
@_exported public import ManagedObjects
@_exported public import ObjectRows
@_exported public import PredicateLanguage

#if canImport(Darwin)
#error(
  "Apple's platforms have their own CoreData. Depend on Parhelion only where it is needed: .product(name: \"CoreData\", package: \"Parhelion\", condition: .when(platforms: [.linux, .windows, .android]))"
)
#endif
