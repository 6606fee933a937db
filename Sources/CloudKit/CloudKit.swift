@_exported public import CloudKitClient
@_exported public import Foundation
@_exported public import GeographicLocations
@_exported public import PredicateLanguage

#if canImport(Darwin)
#error(
  "Apple's platforms have their own CloudKit. Depend on Parhelion only where it is needed: .product(name: \"CloudKit\", package: \"Parhelion\", condition: .when(platforms: [.linux, .windows, .android]))"
)
#endif

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
public typealias NSExpression = PredicateLanguage.NSExpression

/// The class of Parhelion, which Foundation's unusable one of the same name would otherwise compete
/// with.
public typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
