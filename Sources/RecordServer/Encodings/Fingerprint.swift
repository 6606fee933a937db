/// A number that tells what was cut or mixed up from what it was made of: FNV-1a.
///
/// It protects nothing from those who want to deceive.
enum Fingerprint {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
