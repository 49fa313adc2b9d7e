import { isIPv6 } from 'node:net';

/** Top-level domains that no field path ends with: a name with one of them is a host. */
const HOST_DOMAINS = new Set([
  ...[
    'ai',
    'arpa',
    'cn',
    'com',
    'consul',
    'corp',
    'eu',
    'goog',
    'google',
    'internal',
    'intranet',
    'jp',
    'lan',
  ],
  ...['localdomain', 'net', 'svc', 'uk'],
]);
/** Top-level domains that field paths end with too (`address.home`): such a name is a host only if the context says so. */
const AMBIGUOUS_DOMAINS = new Set([
  ...['app', 'cloud', 'co', 'de', 'dev', 'fr', 'home', 'io', 'local', 'org', 'private', 'us'],
]);
/** First names of field paths in requests and replies. */
const FIELD_ROOTS = new Set([
  ...[
    'args',
    'arguments',
    'body',
    'choices',
    'config',
    'content',
    'contents',
    'function',
    'generationconfig',
  ],
  ...['input', 'inputs', 'instances', 'items', 'message', 'messages', 'options', 'output', 'parameters'],
  ...['params', 'parts', 'properties', 'reasoning', 'request', 'response', 'root', 'schema', 'system'],
  ...['thinking', 'tool', 'tools', 'usage'],
]);
/** Codes of operating system errors that are followed by a host. */
const HOST_ERROR_CODES = 'ECONN[A-Z]{3,12}|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN';
const HOST_CONTEXT = new RegExp(
  `\\b(?:${HOST_ERROR_CODES}|backend|connect|connected to|connect to|dns|domain|endpoint|host|hostname|lookup|node|origin|peer|pod|proxy|reach|resolve|route to|server|upstream)["'\`:=(]?\\s?["'\`(]?$`,
  'i',
);
const HOST_CONTEXT_CHARS = 24;

/** Matches random ids (letters mixed with digits), but not words (`frames`) and words with a number (`address1`). */
const RANDOM_ID =
  /(?<![a-z0-9])(?![a-z]+\d{1,2}(?![a-z0-9]))(?:(?=[a-z]*\d)[a-z0-9]{8,}|\d{5,}|[a-z0-9]{20,})/i;

type Placeholder = string | ((found: string, ...more: never[]) => string);
const ifRandom = (placeholder: string) => (found: string) => (RANDOM_ID.test(found) ? placeholder : found);

/** Applied in order, so that an address within a URL is replaced with the URL. Each pattern takes linear time. */
const IDENTIFIERS: readonly (readonly [RegExp, Placeholder])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`)\]}]+/gi, '[url]'],
  [/\barn:[^\s"'<>`]+/gi, '[id]'],
  [/(?<![a-z0-9._%+-])[a-z0-9._%+-]+@[a-z0-9-][a-z0-9.-]{0,253}/gi, '[email]'],
  [/\b(?:sk|pk|rk|xai|gsk|key|ghp|gho|pat)[-_][\w-]{8,}/gi, ifRandom('[key]')],
  [/\bAIza[\w-]{20,}|\beyJ[\w-]{8,}[\w.-]*/g, '[key]'],
  [/\bAKIA[A-Z0-9]{12,}/g, '[key]'],
  [/\borg-(?=[a-z]*[A-Z\d])[A-Za-z0-9]{3,}/g, '[id]'],
  [/\b(?:org|proj|user|acct|cust|team|ws|wrkspc|workspace)[-_][\w-]{6,}/gi, ifRandom('[id]')],
  [
    /(?<![a-z0-9])(?:projects?|organi[sz]ations?|accounts?|tenants?|teams?)(?:[\s_-]?(?:id|number)(?:["'`]?\s?[/:#=]|\s)|["'`]?[/:#=])\s?["'`]?(?=[\w-]*\d)[\w-]{4,}/gi,
    '[id]',
  ],
  [
    /(?<![a-z0-9])(?:project|organi[sz]ation|account|tenant|team)\s["'`]?(?=[\w-]*\d)[\w-]{4,}/gi,
    ifRandom('[id]'),
  ],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '[id]'],
  [/(?<![\w:.])[\w:.]+/g, scrubIPv6],
  [/(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\d.]*\d)/g, '[address]'],
  [/(?<![\w.-])[a-z0-9_-]+(?:\.[a-z0-9_-]+)+(?:\.?:\d{1,5}(?!\w))?/gi, scrubHost],
  [/\blocalhost(?::\d{1,5})?\b/gi, '[host]'],
  [/(?<![\w.-])[a-z0-9]+(?:-[a-z0-9]+)+:\d{2,5}\b/gi, '[host]'],
  [
    new RegExp(
      `\\b(${HOST_ERROR_CODES}|connect(?: to)?|getaddrinfo \\w{1,20}|dial \\w{1,20})\\s(["'\`]?)[\\w-]{1,63}:\\d{1,5}\\b`,
      'gi',
    ),
    '$1 $2[host]',
  ],
  [/\b(getaddrinfo E[A-Z_]{4,15})\s[\w-]{1,63}(?![\w.-])/g, '$1 [host]'],
];

/** Replaces each host, address, URL, email, key, and project, organization or account id with a placeholder. */
export function scrubIdentifiers(text: string): string {
  return IDENTIFIERS.reduce(
    (scrubbed, [pattern, placeholder]) => scrubbed.replace(pattern, placeholder as string),
    text,
  );
}

/** Text without a digit or a group of three is more likely a scope (`std::bad_alloc`) or a slice (`[1::2]`). */
function scrubIPv6(found: string): string {
  if (!/\d/.test(found) || !/^::|[\da-f]{3}/i.test(found)) return found;
  if (isIPv6(found)) return '[address]';
  const end = found.at(-1)!;
  return (end === '.' || end === ':') && isIPv6(found.slice(0, -1)) ? `[address]${end}` : found;
}

/** @param at position of `found` in `text` */
function scrubHost(found: string, at: number, text: string): string {
  const [name = '', port] = found.toLowerCase().replace('.:', ':').split(':');
  const labels = name.split('.');
  const domain = labels.at(-1)!;
  if (labels.some((label) => /^\d+$/.test(label)) || FIELD_ROOTS.has(labels[0]!)) return found;
  if (port !== undefined && (HOST_DOMAINS.has(domain) || AMBIGUOUS_DOMAINS.has(domain))) return '[host]';
  if (name.includes('_')) return found;
  if (HOST_DOMAINS.has(domain)) return '[host]';
  if (!AMBIGUOUS_DOMAINS.has(domain)) return found;
  const isHost =
    name.includes('-') ||
    /^(?:api|cdn|console|docs|platform|www)\./.test(name) ||
    HOST_CONTEXT.test(text.slice(Math.max(0, at - HOST_CONTEXT_CHARS), at));
  return isHost ? '[host]' : found;
}
