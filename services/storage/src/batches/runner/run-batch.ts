import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import { v7 as newId } from 'uuid';
import type { CallEnd } from '../../calls/rules/call-end';
import { type CallToRun, type RunOptions, runCall } from '../../calls/run-call';
import { storeAnswer } from '../../calls/store-answer';
import { BATCH_OUTPUT_PURPOSE, type Files } from '../../files/store/files';
import type { BatchMetrics } from '../../metrics';
import type { Batch, BatchProblem } from '../rules/batch';
import { callResult, type Unsent, unsentLine } from '../rules/call-result';
import { InvalidLine, MAX_LINE_BYTES, parseInputLine } from '../rules/input-line';
import { LineTooLong, type NumberedLine, splitLines } from '../rules/split-lines';
import type { Batches, SentCall } from '../store/batches';

export interface BatchDeps {
  readonly batches: Batches;
  readonly files: Pick<Files, 'open' | 'save' | 'discard' | 'delete'>;
  readonly calls: Parameters<typeof runCall>[0];
  /** Waits until one more call of any batch may be sent. */
  readonly rate: { next(signal: AbortSignal): Promise<void> };
  /** Calls of a batch in flight. */
  readonly concurrency: number;
  readonly metrics: Pick<BatchMetrics, 'ended' | 'callEnded' | 'runFailed'>;
  readonly log: Logger;
}

/** A batch in this process. */
export interface OwnBatch {
  readonly batch: Batch;
  readonly runner: string;
  /** The batch is another process's now, or this one stops. */
  readonly signal: AbortSignal;
  readonly isCancelling: () => boolean;
  /** This process is about to stop: no more calls are sent. */
  readonly isDraining: () => boolean;
}

/** Another process runs the batch. */
class NotOwner extends Error {}

/** As OpenAI's API has them. */
const MAX_CALLS = 50_000;
const MAX_PROBLEMS = 20;
/** A longer line is in memory alone. */
const LARGE_LINE_BYTES = 1024 ** 2;
/** Of the calls that a batch sends: chat discounts them. */
const CALL_HEADERS = { 'content-type': 'application/json', 'x-gateway-batch': '1' };

/** Runs a batch to its end, from wherever it is. Returns early, without its end, when the signal is aborted. */
export async function runBatch(deps: BatchDeps, own: OwnBatch): Promise<void> {
  const { batch, runner, signal } = own;
  const { batches, metrics } = deps;
  let { total } = batch.counts;
  if (batch.status === 'validating') {
    const { calls, problems } = await validate(deps, own);
    if (signal.aborted) return;
    if (problems.length > 0) {
      if (await batches.fail(batch.id, runner, problems)) metrics.ended('failed');
      return;
    }
    if (!(await batches.start(batch.id, runner, calls))) return;
    total = calls;
  }
  const sent = await batches.sentCalls(batch.id);
  if (batch.status !== 'finalizing') await sendCalls(deps, own, sent);
  if (!signal.aborted && !own.isDraining()) await finalize(deps, own, total);
}

async function validate(
  deps: BatchDeps,
  { batch, signal }: OwnBatch,
): Promise<{ calls: number; problems: readonly BatchProblem[] }> {
  const problems: BatchProblem[] = [];
  const ids = new Set<string>();
  let calls = 0;
  try {
    for await (const { number, bytes } of inputLines(deps, batch)) {
      if (signal.aborted || problems.length === MAX_PROBLEMS) break;
      calls += 1;
      if (calls > MAX_CALLS) {
        problems.push(problem('too_many_requests', `The file has more than ${MAX_CALLS} requests.`));
        break;
      }
      try {
        const { customId } = parseInputLine(bytes, batch.endpoint);
        if (ids.has(customId)) throw new InvalidLine('duplicate_custom_id', 'not unique', 'custom_id');
        ids.add(customId);
      } catch (error) {
        if (!(error instanceof InvalidLine)) throw error;
        problems.push(error.at(number));
      }
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    problems.push(problem('line_too_long', error.message));
  }
  if (calls === 0 && problems.length === 0) problems.push(problem('empty_file', 'The file has no requests.'));
  return { calls, problems };
}

const problem = (code: string, message: string): BatchProblem => ({ code, message, line: null, param: null });

/** Returns the lines of the input; none if its object is lost. */
async function* inputLines({ files, log }: Pick<BatchDeps, 'files' | 'log'>, batch: Batch) {
  const input = await files.open({ accountId: batch.accountId }, batch.inputFileId);
  if (input) yield* splitLines(input.content, MAX_LINE_BYTES);
  else log.error({ batch: batch.id }, 'the input of a batch is lost: it ends with the results that it has');
}

/** Sends the calls that have no answer yet, some at a time. */
async function sendCalls(deps: BatchDeps, own: OwnBatch, sent: ReadonlyMap<number, SentCall>): Promise<void> {
  const { batch, signal } = own;
  const gate = new Gate(deps, own);
  const lines = inputLines(deps, batch);
  const reading = new Mutex();
  let failure: unknown;
  const work = async () => {
    while (failure === undefined && !signal.aborted) {
      const unlock = await reading.lock();
      try {
        const { value: line, done } = await lines.next();
        if (done) return;
        const earlier = sent.get(line.number);
        if (earlier?.isAnswered) continue;
        // An attempt whose answer is lost is looked up, whether or not calls may still be sent.
        if (!earlier && gate.isClosed) continue;
        // The next line is read when a large one is no longer in memory.
        if (line.bytes.length <= LARGE_LINE_BYTES) unlock();
        await sendCall(deps, own, line, earlier, gate);
      } finally {
        unlock();
      }
    }
  };
  try {
    // Every call in flight ends before the batch is run again.
    await Promise.all(
      Array.from({ length: deps.concurrency }, () =>
        work().catch((error) => {
          failure ??= error;
        }),
      ),
    );
  } finally {
    await lines.return();
  }
  if (failure !== undefined) throw failure;
}

/** One holder at a time, first come, first served. */
class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Returns the function that unlocks it. */
  async lock(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}

async function sendCall(
  { batches, calls, metrics, log }: BatchDeps,
  { batch, runner, signal }: OwnBatch,
  { number, bytes }: NumberedLine,
  earlier: SentCall | undefined,
  gate: Gate,
): Promise<void> {
  const { customId, body, streams } = parseInputLine(bytes, batch.endpoint);
  const { accountId, keyId, endpoint } = batch;
  const headers = { ...batch.headers, ...CALL_HEADERS };
  const call: CallToRun = { accountId, keyId, path: endpoint, headers, body };
  const options: RunOptions = {
    lostRequestId: earlier?.requestId,
    async begin(requestId) {
      if (!(await batches.beginCall(batch.id, runner, number, requestId))) throw new NotOwner();
    },
    ready: () => gate.ready(),
    onRateLimited: (waitMs) => gate.pause(waitMs),
    signal,
  };
  const end = streams ? await refuseStream(gate) : await runCall(calls, call, options);
  if (!end) return;
  try {
    const result = callResult(batch.format, customId, end);
    await storeAnswer(
      signal,
      async () => {
        await batches.endCall(batch, number, end.requestId, result);
        metrics.callEnded(result.succeeded);
      },
      (err) => log.warn({ err, batch: batch.id }, 'the result of a call could not be stored'),
    );
  } finally {
    if ('reply' in end) end.reply.release();
  }
}

async function refuseStream(gate: Gate): Promise<CallEnd | undefined> {
  if (!(await gate.ready())) return undefined;
  const error = new GatewayError('invalid_request', {
    detail: 'stream: a batch has no streams',
    param: 'stream',
  });
  return { requestId: newId(), error, chargedNano: 0n };
}

/** Decides when the calls of a batch may be sent. */
class Gate {
  readonly #deps: BatchDeps;
  readonly #own: OwnBatch;
  #pausedUntilMs = 0;

  constructor(deps: BatchDeps, own: OwnBatch) {
    this.#deps = deps;
    this.#own = own;
  }

  /** No call may be sent any more. */
  get isClosed(): boolean {
    const { batch, signal, isCancelling, isDraining } = this.#own;
    return signal.aborted || isCancelling() || isDraining() || Date.now() >= batch.deadlineAt.getTime();
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + ms);
  }

  async ready(): Promise<boolean> {
    const { signal } = this.#own;
    await this.#deps.rate.next(signal);
    for (;;) {
      if (this.isClosed) return false;
      const waitMs = this.#pausedUntilMs - performance.now();
      if (waitMs <= 0) return true;
      await sleep(Math.min(waitMs, 1_000), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Writes the files with the answers, and ends the batch. */
async function finalize(
  deps: BatchDeps,
  { batch, runner, signal, isCancelling }: OwnBatch,
  total: number,
): Promise<void> {
  const { batches, files, metrics } = deps;
  const { id, accountId, format } = batch;
  const output = batch.outputFileId ?? `file-${newId()}`;
  const errors = batch.errorFileId ?? `file-${newId()}`;
  if (!(await batches.finalize(id, runner, { output, errors }))) return;
  const answered = await batches.sentCalls(id);
  const unsent: Unsent = isCancelling() ? 'cancelled' : 'expired';
  const hasUnsent = [...answered.values()].filter(({ isAnswered }) => isAnswered).length < total;
  const status = unsent === 'expired' && !hasUnsent ? 'completed' : unsent;
  const unsentLines = async function* () {
    for await (const { number, bytes } of inputLines(deps, batch)) {
      if (answered.get(number)?.isAnswered) continue;
      const { customId } = parseInputLine(bytes, batch.endpoint);
      const line = unsentLine(format, customId, id, number, unsent);
      if (line) yield line;
    }
  };
  const failures = async function* () {
    yield* batches.results(batch, false);
    if (hasUnsent) yield* unsentLines();
  };
  const all = async function* () {
    yield* batches.results(batch, true);
    yield* failures();
  };
  const save = async (fileId: string, name: string, lines: AsyncIterable<Buffer>) => {
    await files.discard(accountId, fileId);
    return saveLines(deps, batch, fileId, `${id}_${name}.jsonl`, stoppedBy(lines, signal));
  };
  const saved =
    format === 'openai'
      ? {
          output: await save(output, 'output', batches.results(batch, true)),
          errors: await save(errors, 'error', failures()),
        }
      : { output: await save(output, 'results', all()), errors: null };
  if (await batches.end(id, runner, status, saved)) metrics.ended(status);
  // The caller did not store this file, and does not know its id.
  if (format === 'anthropic') await files.delete({ accountId }, batch.inputFileId);
}

/** Returns the id of the file; null without a line: then there is no file. */
async function saveLines(
  { files }: BatchDeps,
  { accountId, keyId, outputSeconds }: Batch,
  id: string,
  filename: string,
  lines: AsyncIterable<Buffer>,
): Promise<string | null> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return null;
  const content = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  const upload = async (put: (content: AsyncIterable<Buffer>) => Promise<void>) => {
    await put(content());
    return {
      filename,
      purpose: BATCH_OUTPUT_PURPOSE,
      ...(outputSeconds !== null && { lifetimeSeconds: outputSeconds }),
    };
  };
  await files.save({ accountId, keyId }, id, upload, { isBounded: false });
  return id;
}

async function* stoppedBy(lines: AsyncIterable<Buffer>, signal: AbortSignal) {
  for await (const line of lines) {
    signal.throwIfAborted();
    yield line;
  }
}
