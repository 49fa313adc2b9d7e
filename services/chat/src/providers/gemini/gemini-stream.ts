import { isObject, membersOf } from '@gateway/upstream';
import type { ReplyEvent, StreamReader } from '../../domain/reply';
import { largerUsage, type TokenUsage, withSearches } from '../../domain/usage';
import { parseExact } from '../../json/exact-json';
import { dataOf } from '../../sse/sse-data';
import { readGeminiUsage } from './gemini-usage';
import { queriesOf } from './grounding';
import { ResponseReader } from './response-reader';

/**
 * Reads `streamGenerateContent?alt=sse`. No event is marked as the last: the reply is complete once it has a finish reason and, in
 * that chunk or a later one, its figures; without figures, when the connection ends.
 */
export class GeminiStream implements StreamReader {
  readonly #reader: ResponseReader;
  #usage: TokenUsage | undefined;
  /** Chunks may repeat those of earlier ones. */
  readonly #queries = new Set<string>();

  #isOver = false;

  constructor(newId: () => string) {
    this.#reader = new ResponseReader(newId);
  }

  get usage(): TokenUsage | undefined {
    return this.#usage && withSearches(this.#usage, this.#queries.size);
  }

  /** The reply has its finish reason; figures may follow. */
  get isFinished(): boolean {
    return this.#reader.ended;
  }

  get ended(): boolean {
    return this.#reader.ended && this.#isOver;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const data = dataOf(event);
    if (data === '') return [];
    const chunk = membersOf(parseJson(data));
    // Before anything that may throw: a stream that fails is billed too.
    const usage = chunk.usageMetadata ? readGeminiUsage(chunk.usageMetadata) : undefined;
    if (usage) this.#usage = largerUsage(this.#usage, usage);
    for (const query of queriesOf(chunk)) this.#queries.add(query);
    const events = this.#reader.read(chunk);
    this.#isOver = this.#reader.ended && isObject(chunk.usageMetadata);
    return events;
  }

  end(): readonly ReplyEvent[] {
    this.#isOver = true;
    return [];
  }
}

function parseJson(data: string): unknown {
  try {
    return parseExact(data);
  } catch {
    // The parser's own error would quote the reply, and errors are logged.
    throw new Error('chunk is not JSON');
  }
}
