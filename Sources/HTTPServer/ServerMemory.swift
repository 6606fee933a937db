private import CHTTPSystem

/// The memory of a process that serves.
package enum ServerMemory {
  /// Keeps what one request has freed for the next one; for processes that do nothing but serve.
  package static func keepForReuse() { parhelion_keep_memory(CInt(Limits.keptBytes)) }
}
