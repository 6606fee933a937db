/// An FNV-1a hash that detects truncated or mixed-up text.
///
/// It is not cryptographic.
enum Fingerprint {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
