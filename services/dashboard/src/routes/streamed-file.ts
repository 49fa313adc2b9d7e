/** A response that is sent as a file while it is read; what fails after its first part cuts it off. */
export class StreamedFile {
  /**
   * @param name of the file, in ASCII without quotes
   * @param parts each read once the one before it was sent
   */
  constructor(
    readonly mediaType: string,
    readonly name: string,
    readonly parts: AsyncIterable<string>,
  ) {}
}
