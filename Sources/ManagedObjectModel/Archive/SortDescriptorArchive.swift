import Foundation
import PredicateLanguage
import PropertyLists

/// Archived sort descriptors.
///
/// | key of `NSSortDescriptor` | meaning |
/// |---|---|
/// | `NSKey` | key path |
/// | `NSAscending` | |
/// | `NSSelector` | `compare:` by default |
/// | `NSReverseNullOrder` | always false |
enum SortDescriptorArchive {
  private static let standardSelector = "compare:"

  static func read(_ object: ArchivedObject) throws(ModelArchiveError) -> NSSortDescriptor {
    let key = try object.string("NSKey")
    let isAscending = try object.flag("NSAscending")
    guard let name = try object.string("NSSelector"), name != standardSelector else {
      return NSSortDescriptor(key: key, ascending: isAscending)
    }
    return NSSortDescriptor(key: key, ascending: isAscending, selector: Selector(name))
  }

  static func add(_ descriptor: NSSortDescriptor, to builder: inout KeyedArchiveBuilder)
    -> PropertyList
  {
    let key = builder.string(descriptor.key)
    let selector = builder.string(descriptor.selector.map { "\($0)" } ?? standardSelector)
    return builder.add(
      "NSSortDescriptor",
      [
        "NSKey": key, "NSAscending": .boolean(descriptor.ascending), "NSSelector": selector,
        "NSReverseNullOrder": .boolean(false),
      ])
  }
}
