import { z } from 'zod';

const timeoutMs = z.int().min(1).max(3_600_000).optional();

/** Without credentials, because operators can read the options of a provider. */
const proxyUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}, 'must be an http or https URL without credentials');

/** Options that every kind of provider has. */
export const connectionOptions = {
  /** Those of a target come before them. */
  timeouts: z
    .strictObject({
      /** Until the connection is established. */
      connect_ms: timeoutMs,
      /** From the request to the first byte of the reply. */
      first_byte_ms: timeoutMs,
      /** Between two pieces of the reply. */
      idle_ms: timeoutMs,
    })
    .optional(),
  /** A forward proxy between the gateway and the provider. Tokens of clouds are requested without it. */
  proxy: proxyUrl.optional(),
  /**
   * Links in requests, which the provider would fetch: `pass` them on; `resolve` their hosts first and refuse those with private
   * addresses; `refuse` them. Undefined: `resolve` for a provider in a private network, `pass` for others.
   */
  links: z.enum(['pass', 'resolve', 'refuse']).optional(),
};

export type ConnectionOptions = z.output<z.ZodObject<typeof connectionOptions>>;

/** Separates the options that every kind has from those of the provider's kind. */
export function splitOptions({ timeouts, proxy, links, ...ofKind }: Readonly<Record<string, unknown>>): {
  readonly connection: ConnectionOptions;
  readonly ofKind: Readonly<Record<string, unknown>>;
} {
  const connection = z.object(connectionOptions).parse({ timeouts, proxy, links });
  return { connection, ofKind };
}
