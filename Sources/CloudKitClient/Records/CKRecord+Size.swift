import Synchronization

extension CKRecord {
  /// The approximate size of the record on the wire, from its strings and data.
  package var approximateSize: Int {
    state.withLock { state in
      (Array(state.plain.contents) + Array(state.encrypted.contents)).reduce(256) {
        $0 + $1.key.utf8.count + $1.value.approximateSize
      }
    }
  }
}

extension FieldContent {
  fileprivate var approximateSize: Int {
    switch self {
    case .string(let text): text.utf8.count + 32
    case .data(let data): data.count * 4 / 3 + 32
    case .list(let members): members.reduce(32) { $0 + $1.approximateSize }
    case .asset: 256
    default: 64
    }
  }
}
