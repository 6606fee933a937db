/// Why a text is not Swift source that the scanner can follow.
struct ScanFailure: Error, Equatable {
  let offset: Int
  let message: String
}
