@_exported public import CloudKitClient
@_exported public import CloudSyncEngine
@_exported public import Foundation
@_exported public import GeographicLocations
@_exported public import PredicateLanguage

#if canImport(Darwin)
#error(
  "Apple's platforms have their own CloudKit. Depend on Parhelion only where it is needed: .product(name: \"CloudKit\", package: \"Parhelion\", condition: .when(platforms: [.linux, .windows, .android]))"
)
#endif

/// Parhelion's class, made explicit because Foundation exports an unusable class of the same name.
public typealias NSExpression = PredicateLanguage.NSExpression

/// Parhelion's class, made explicit because Foundation exports an unusable class of the same name.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
