public import Foundation

/// Unavailable: Linux has no Spotlight.
@available(
  *, unavailable,
  message: """
    Linux has no Spotlight. Set maintainsFullTextIndex of the store's description, and search with \
    NSPredicate.fullText(_:in:).
    """
)
open class NSCoreDataCoreSpotlightDelegate: NSObject {}
