/** Query parameters in which storage services state when a signed link was created and how long it is valid. */
const SIGNED_FOR = ['X-Amz', 'X-Goog', 'X-Tos', 'X-Oss', 'x-oss'];
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Returns when a signed link expires, if it says so. */
export function linkExpiryMs(link: string): number | undefined {
  const query = new URL(link).searchParams;
  const seconds = wholeNumber(query.get('Expires'));
  if (seconds !== undefined) return seconds * 1_000;
  for (const prefix of SIGNED_FOR) {
    const madeMs = stampMs(query.get(`${prefix}-Date`) ?? query.get(`${prefix}-date`));
    const goodFor = wholeNumber(query.get(`${prefix}-Expires`) ?? query.get(`${prefix}-expires`));
    if (madeMs !== undefined && goodFor !== undefined) return madeMs + goodFor * 1_000;
  }
  return undefined;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) : undefined;
}

/** `20261121T120000Z`. */
function stampMs(text: string | null): number | undefined {
  const [, year, month, day, hour, minute, second] = STAMP.exec(text ?? '') ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
