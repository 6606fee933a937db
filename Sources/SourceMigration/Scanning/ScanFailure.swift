/// The error of a text that the scanner cannot parse as Swift.
struct ScanFailure: Error, Equatable {
  let offset: Int
  let message: String
}
