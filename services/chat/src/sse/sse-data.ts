import { dataOf } from '@gateway/upstream';
import { parseExactObject } from '../json/exact-json';

export { dataOf, endsLikeObject, parseData } from '@gateway/upstream';

/** Whether the data of an event marks the end of a stream; some servers write a blank after it. */
export const isDoneMarker = (data: string): boolean => data.trim() === '[DONE]';

/** Returns the data of an event without changing long integers. Undefined when it is not a JSON object. */
export const parseExactData = (event: Buffer): Record<string, unknown> | undefined =>
  parseExactObject(dataOf(event));
