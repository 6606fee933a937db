import HTTPServer

/// What a browser shows where somebody opens the address of a share.
///
/// The page is the same for every address: it is no way to find out which shares there are, nor
/// what they are called. An application shows that, after its user has signed in.
extension RecordService {
  func answerInvitation() -> Answer {
    let body: HTML = """
      <p>Somebody shares something with you.</p>
      <p>To take part, copy the address of this page and open it in the application that it was made in.</p>
      """
    return Answer(Page(title: "Invitation", body: body).response(.ok, nonce: FormToken.random))
  }
}
