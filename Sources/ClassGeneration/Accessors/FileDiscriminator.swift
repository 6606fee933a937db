import Cryptography

/// The part of a private declaration's mangled name that identifies the file: the MD5 of the
/// module's and the file's names.
enum FileDiscriminator {
  static func of(file: String, module: String) -> String {
    var digest = Digest(.md5)
    digest.update(module + (file.split(separator: "/").last.map(String.init) ?? file))
    let hex = digest.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return "_" + hex.joined()
  }
}
