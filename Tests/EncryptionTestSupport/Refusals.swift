import CloudEncryption
package import CloudRecords
package import CloudWire

extension ContainerAddress {
  /// The container of these tests.
  package static let test = ContainerAddress(container: "iCloud.test", environment: .development)
}

/// The code of an error, for tables.
package func code(of error: any Error) -> String {
  switch error {
  case let error as EncryptionError: error.code.rawValue
  case let error as CloudError:
    "\(error.code.rawValue)\(error.extension.map { " \($0.rawValue)" } ?? "")"
  default: "\(error)"
  }
}

/// The code of the error that an asynchronous call throws; nil if it succeeds.
package func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch {
    return code(of: error)
  }
}

/// The code of the error that a synchronous call throws; nil if it succeeds.
package func refusal(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return code(of: error)
  }
}

/// A key bag that a hostile server has changed.
package func altered(_ result: KeyBagResult, _ change: (inout [UInt8]) -> Void) -> KeyBagResult {
  guard case .bag(let generation, let modified, var data, let now) = result else { return result }
  change(&data)
  return .bag(generation: generation, modified: modified, data: data, now: now)
}
