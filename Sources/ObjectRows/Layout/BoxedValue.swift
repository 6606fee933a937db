package import Foundation

/// A value that is not stored in the row itself.
///
/// Contexts and threads share rows, so a box is immutable.
public class BoxedValue: @unchecked Sendable {
  package init() {}
}

/// The stored bytes of a transformable attribute.
///
/// Each object decodes a separate value.
// Sendable: immutable.
package final class EncodedValue: BoxedValue, @unchecked Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// A value of any type, as it was set on an object.
// Sendable: the object that owns the row confines it. Shared rows contain none.
package final class DecodedValue: BoxedValue, @unchecked Sendable {
  package let value: Any
  package init(_ value: Any) { self.value = value }
}

/// The bytes of an attribute with external storage, already in memory.
// Sendable: immutable.
package final class BinaryValue: BoxedValue, @unchecked Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// The bytes of an attribute in an external file, read on demand.
// Sendable: immutable.
package final class ExternalValue: BoxedValue, @unchecked Sendable {
  /// The name of the file: an uppercase UUID.
  package let name: String
  /// The folder of the store's external files.
  package let folder: ValueFolder

  package init(name: String, folder: ValueFolder) {
    self.name = name
    self.folder = folder
  }

  package var file: URL { folder.url.appendingPathComponent(name) }

  /// Reads the bytes of the file.
  ///
  /// - Throws: An error if the file is missing or cannot be read.
  package func data() throws -> Data { try folder.files.contents(of: file) }
}
