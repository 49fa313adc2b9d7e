/** The caller is gone: there is nobody to be told, and nothing is wrong. */
export class CallerLeft extends Error {
  constructor() {
    super('the caller left');
  }
}
