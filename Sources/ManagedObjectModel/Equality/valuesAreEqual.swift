import Foundation

/// Whether two values of any type are equal as Foundation objects.
///
/// A Swift value equals the object that it bridges to, and numbers are compared by value.
package func valuesAreEqual(_ left: Any?, _ right: Any?) -> Bool {
  switch (left, right) {
  case (nil, nil): true
  case (let left?, let right?): (left as? NSObject)?.isEqual(right as? NSObject) ?? false
  default: false
  }
}
