import Foundation

/// The target that `PARHELION_FUZZ_TARGET` names.
let chosenTarget: any FuzzTarget.Type = {
  let name = ProcessInfo.processInfo.environment["PARHELION_FUZZ_TARGET"]
  guard let target = fuzzTargets.first(where: { $0.name == name }) else {
    let names = fuzzTargets.map { $0.name }.joined(separator: ", ")
    preconditionFailure("PARHELION_FUZZ_TARGET must name one of \(names)")
  }
  return target
}()

/// Called by libFuzzer before the first input: writes the target's own seeds into the folder that
/// `PARHELION_FUZZ_SEEDS` names.
@c(LLVMFuzzerInitialize)
public func fuzzInitialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  guard let folder = ProcessInfo.processInfo.environment["PARHELION_FUZZ_SEEDS"] else { return 0 }
  do {
    for (number, seed) in try chosenTarget.seeds().enumerated() {
      try Data(seed).write(
        to: URL(fileURLWithPath: folder).appendingPathComponent("written-\(number)"))
    }
    return 0
  } catch {
    preconditionFailure("The seeds cannot be written into \(folder): \(error)")
  }
}

/// Called by libFuzzer with each generated input.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe chosenTarget.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
