@_exported public import GeographicLocations

#if canImport(Darwin)
#error(
  "Apple's platforms have their own CoreLocation. Depend on Parhelion only where it is needed: .product(name: \"CoreLocation\", package: \"Parhelion\", condition: .when(platforms: [.linux, .windows, .android]))"
)
#endif
