/** Headers in which providers name a request, in the order of preference: some repeat the `x-request-id` that they receive. */
const HEADERS = [
  'request-id',
  'apim-request-id',
  'x-amzn-requestid',
  'x-ms-request-id',
  'x-request-id',
  'x-correlation-id',
  'cf-ray',
];
const ID = /^[\x21-\x7e]{1,128}$/;

/** Returns the provider's own id of a request, for its support; undefined if its response has none. */
export function providerRequestId(headers: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && ID.test(value)) return value;
  }
  return undefined;
}

/** Adds the provider's own id of the request to an error of its reply, for the log. */
export function nameProviderRequest(error: unknown, headers: Readonly<Record<string, unknown>>): void {
  const id = providerRequestId(headers);
  if (id !== undefined && error instanceof Error) Object.assign(error, { providerRequestId: id });
}
