package import Foundation

/// The value of an attribute, outside of any context.
package enum MirrorValue: Hashable, Sendable, Codable {
  case null
  /// Integers of 16, 32 and 64 bits.
  case integer(Int64)
  case boolean(Bool)
  case double(Double)
  case float(Float)
  case decimal(Decimal)
  case string(String)
  case date(Date)
  /// Binary data, or the bytes that a transformer made of a value.
  case data(Data)
  /// Binary data, or a transformer's bytes, in a file.
  ///
  /// Such a value is sent as an asset without being loaded.
  case file(BorrowedFile)
  case uuid(UUID)
  case uri(URL)
}
