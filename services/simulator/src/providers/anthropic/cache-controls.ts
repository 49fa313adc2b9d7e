import { invalid } from './error';
import { objectAt, oneOfAt, onlyFields } from './fields';

const MAX_MARKS = 4;
const FIELDS = new Set(['type', 'ttl']);

/** The `cache_control` fields of one request, added in the order of the prompt: tools, system, messages. */
export class CacheControls {
  #count = 0;
  #hour = false;
  #minutes = false;

  /** Cache writes have a lifetime of an hour instead of five minutes, at another price. */
  get hour(): boolean {
    return this.#hour;
  }

  /** @param value of a field `cache_control` */
  add(value: unknown, at: string): void {
    if (value == null) return;
    const mark = objectAt(value, `${at}.cache_control`);
    onlyFields(mark, FIELDS, `${at}.cache_control`);
    oneOfAt(mark.type, ['ephemeral'], `${at}.cache_control.type`);
    if (mark.ttl !== undefined) oneOfAt(mark.ttl, ['5m', '1h'], `${at}.cache_control.ttl`);
    const hour = mark.ttl === '1h';
    if (hour && this.#minutes) {
      throw invalid(`${at}.cache_control.ttl: a ttl='1h' block must not come after a ttl='5m' block.`);
    }
    this.#hour ||= hour;
    this.#minutes ||= !hour;
    if (++this.#count > MAX_MARKS) {
      throw invalid(`A maximum of ${MAX_MARKS} blocks with cache_control may be provided.`);
    }
  }
}
