private import CHTTPSystem

/// Memory settings of a server process.
package enum ServerMemory {
  /// Keeps the memory that one request freed for the next one.
  ///
  /// Only for processes that do nothing but serve.
  package static func keepForReuse() { parhelion_keep_memory(CInt(Limits.keptBytes)) }
}
