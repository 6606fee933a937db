import Testing

/// The main program of the test bundle.
///
/// SwiftPM writes one itself, but finds the tests of XCTest for it in an index, which the compiler
/// then has to write. There are no such tests here.
@main struct TestProgram {
  static func main() async {
    // `swift test` starts the bundle twice; the first time, without these arguments, for XCTest.
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
