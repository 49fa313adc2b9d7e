import { topLevelScalar } from '@gateway/json-body';

/** The start of an event, up to and including the model's name. */
interface Head {
  readonly providerPrefix: Buffer;
  readonly callerPrefix: Buffer;
}

/**
 * Replaces the provider's name of a model by the slug that the caller can send back. Clients also compare the two:
 * Claude Code returns thinking blocks only to the model of that name.
 */
export class ModelNameRewriter {
  readonly #json: Buffer;
  readonly #key: Buffer;
  /** Of the last event that was scanned. */
  #head: Head | undefined;

  /** @param slug of the catalog @param member that has the name */
  constructor(slug: string, member = 'model') {
    this.#key = Buffer.from(`"${member}"`);
    this.#json = Buffer.from(JSON.stringify(slug));
  }

  /** Returns a copy of a complete reply; the reply itself if it names no model. */
  inReply(reply: Buffer): Buffer {
    const name = topLevelScalar(reply, this.#key);
    if (!name) return reply;
    return Buffer.concat([reply.subarray(0, name.start), this.#json, reply.subarray(name.end)]);
  }

  /**
   * Returns an event of a stream with the slug. The chunks of a stream have the same bytes up to the end of the name, so one
   * comparison finds it; an event that starts differently is scanned. Overwrites the event if the slug fits, because copying
   * every chunk would cost measurable time.
   */
  inEvent(event: Buffer): Buffer {
    if (!this.#head || !startsWith(event, this.#head.providerPrefix)) {
      const head = this.#scan(event);
      if (!head) return event;
      this.#head = head;
    }
    const { providerPrefix, callerPrefix } = this.#head;
    const start = providerPrefix.length - callerPrefix.length;
    if (start < 0) return Buffer.concat([callerPrefix, event.subarray(providerPrefix.length)]);
    callerPrefix.copy(event, start);
    return event.subarray(start);
  }

  /** Copies, because a view would keep the whole event in memory. */
  #scan(event: Buffer): Head | undefined {
    const name = topLevelScalar(event, this.#key);
    if (!name) return undefined;
    return {
      providerPrefix: Buffer.from(event.subarray(0, name.end)),
      callerPrefix: Buffer.concat([event.subarray(0, name.start), this.#json]),
    };
  }
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.length >= head.length && head.compare(bytes, 0, head.length) === 0;
}
