/// The binary property list format, version `bplist00`.
///
/// | part | bytes |
/// |---|---|
/// | header | `bplist00` |
/// | objects | one after another, from byte 8 |
/// | offset table | one big-endian offset per object |
/// | trailer | 32 bytes, see `Trailer` |
///
/// An object starts with a marker byte: a kind in the upper half, a size in the lower.
///
/// | marker | object |
/// |---|---|
/// | `00`, `08`, `09` | null, false, true |
/// | `1n` | integer in 2ⁿ bytes: 1, 2 and 4 bytes unsigned, 8 and 16 signed |
/// | `22`, `23` | IEEE real of 4 or 8 bytes |
/// | `33` | date: IEEE real of 8 bytes, seconds since 2001 |
/// | `4n` | n bytes of data |
/// | `5n` | n ASCII characters |
/// | `6n` | n UTF-16 units |
/// | `8n` | UID in n + 1 bytes |
/// | `An`, `Cn` | array or set of n references |
/// | `Dn` | dictionary of n references to keys, then n to values |
///
/// A size of 15 means that an integer object with the actual size follows the marker. All numbers
/// are big-endian.
///
/// The objects of a file never overlap, so the bytes of all objects together fit into the object
/// part. The reader rejects other files, which keeps memory and time linear in the size of the
/// file.
package enum BinaryPropertyList {
  static let header = Array("bplist00".utf8)
  static let trailerBytes = 32

  /// Whether the bytes start like a binary property list.
  package static func hasHeader(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: "bplist".utf8)
  }

  /// Reads a property list.
  package static func read(_ bytes: [UInt8], limits: PropertyListLimits = .standard)
    throws(PropertyListError)
    -> PropertyList
  {
    var reader = try BinaryPropertyListReader(bytes, limits: limits)
    return try reader.readRoot()
  }

  /// Writes a property list.
  ///
  /// The bytes do not depend on the order of dictionaries, which are sorted by their keys.
  package static func write(_ value: PropertyList, limits: PropertyListLimits = .standard)
    throws(PropertyListError)
    -> [UInt8]
  {
    var writer = BinaryPropertyListWriter(limits: limits)
    return try writer.write(value)
  }
}
