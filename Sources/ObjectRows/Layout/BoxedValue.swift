package import Foundation

/// A value that does not lie in the row itself.
///
/// Rows are shared between contexts and threads, so a box never changes.
public class BoxedValue: @unchecked Sendable {
  package init() {}
}

/// The bytes of a transformable attribute as the store holds them; each object decodes a value of
/// its own.
// Sendable: immutable.
package final class EncodedValue: BoxedValue, @unchecked Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// A value of any type, as an object was given it.
// Sendable: the object that owns the row confines it; rows that are shared hold none.
package final class DecodedValue: BoxedValue, @unchecked Sendable {
  package let value: Any
  package init(_ value: Any) { self.value = value }
}

/// The bytes of an attribute that may be kept in a file beside the store, already in memory.
// Sendable: immutable.
package final class BinaryValue: BoxedValue, @unchecked Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// The bytes of an attribute that lie in a file beside the store, read when they are asked for.
// Sendable: immutable.
package final class ExternalValue: BoxedValue, @unchecked Sendable {
  /// The name of the file: a UUID in upper case.
  package let name: String
  /// The folder of the store's external files.
  package let folder: ValueFolder

  package init(name: String, folder: ValueFolder) {
    self.name = name
    self.folder = folder
  }

  package var file: URL { folder.url.appendingPathComponent(name) }

  /// The bytes.
  ///
  /// Throws where the file is missing or cannot be read.
  package func data() throws -> Data { try folder.files.contents(of: file) }
}
