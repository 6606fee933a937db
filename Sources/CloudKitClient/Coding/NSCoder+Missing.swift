import Foundation

/// Reads optional parts of an archive.
///
/// Decoding a missing key would make the whole archive fail.
extension NSCoder {
  /// The object for a key; nil if the archive does not contain the key.
  func object<Value: NSObject & NSSecureCoding>(_ type: Value.Type, _ key: String) -> Value? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// The string for a key; nil if the archive does not contain the key.
  func text(_ key: String) -> String? {
    object(NSString.self, key).map { $0 as String }
  }
}
