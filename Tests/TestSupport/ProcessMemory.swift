import Glibc
package import Testing

/// The resident memory of this process.
package func residentBytes() throws -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { throw RawClient.Failure(call: "fopen") }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, 256, file) != nil else { throw RawClient.Failure(call: "fgets") }
  let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return (Int(text.split(separator: " ")[1]) ?? 0) * Int(sysconf(CInt(_SC_PAGESIZE)))
}

extension Trait where Self == ConditionTrait {
  /// Skips tests of memory use under a sanitizer, whose shadow memory would count.
  package static var measuresMemory: Self {
    .disabled(
      if: ThreadSanitizer.isOn || dlsym(nil, "__asan_init") != nil,
      "sanitizers need more memory than the measured code")
  }
}

/// The number of connections that one process can have in a test, within the limit of descriptors.
package func connectionsThatFit(wanted: Int) -> Int {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  return min(wanted, max(100, (Int(clamping: limit.rlim_cur) - 100) / 2))
}
