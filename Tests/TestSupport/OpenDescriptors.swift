import Foundation

/// The targets of this process's open descriptors, such as `socket:[12345]` or the path of a file.
package func openDescriptors() throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
  }
}
