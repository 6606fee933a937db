package import Foundation

/// The order and the sections of a list.
package struct ListOrder<Element: AnyObject, Key> {
  /// Reads the compared values from an element.
  package let key: (Element) -> Key
  package let compare: (Key, Key) -> ComparisonResult
  /// The name of an element's section; nil if the list has one section for everything.
  package let sectionName: ((Element) -> String)?

  package init(
    key: @escaping (Element) -> Key, compare: @escaping (Key, Key) -> ComparisonResult,
    sectionName: ((Element) -> String)?
  ) {
    (self.key, self.compare, self.sectionName) = (key, compare, sectionName)
  }
}
