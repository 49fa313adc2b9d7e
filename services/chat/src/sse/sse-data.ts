import { dataOf } from '@gateway/upstream';
import { parseExactObject } from '../json/exact-json';

export { dataOf, endsLikeObject, parseData } from '@gateway/upstream';

/** Returns the data of an event without changing long integers. Undefined when it is not a JSON object. */
export const parseExactData = (event: Buffer): Record<string, unknown> | undefined =>
  parseExactObject(dataOf(event));
