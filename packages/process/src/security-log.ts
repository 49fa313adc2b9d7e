import { Counter, type Registry } from 'prom-client';
import type { Logger } from './log';

export interface SecurityEvent {
  /** The kind of event, for example `login.failed`, from a fixed set. */
  readonly event: string;
  /** Id of the user or API key that acted, if known. */
  readonly actorId?: string;
  readonly accountId?: string;
  /** IP address of the client. */
  readonly address?: string;
  readonly requestId?: string;
  /** The endpoint that was called, such as `admin/keys`, as in the audit log. */
  readonly action?: string;
  /** The object that was changed, for example a key's id. */
  readonly subject?: string;
  /** A short reason; never a password, a token or a key's value. */
  readonly reason?: string;
}

export interface SecurityLogOptions {
  readonly log: Logger;
  readonly registry: Registry;
  /** Maximum lines per second for each kind of event; further events are only counted. */
  readonly maxPerSecond?: number;
  readonly nowMs?: () => number;
}

const MAX_PER_SECOND = 50;

interface Second {
  readonly startedMs: number;
  written: number;
  suppressed: number;
}

/**
 * Writes security events as log lines with `security: true`, at level `info` whatever `LOG_LEVEL` is. When one kind of
 * event exceeds its rate, further events are counted instead: the next line of that kind carries the number suppressed,
 * and `security_events_total` counts all of them.
 */
export class SecurityLog {
  readonly #log: Logger;
  readonly #counter: Counter;
  readonly #maxPerSecond: number;
  readonly #nowMs: () => number;
  readonly #seconds = new Map<string, Second>();

  constructor({ log, registry, maxPerSecond = MAX_PER_SECOND, nowMs = Date.now }: SecurityLogOptions) {
    this.#log = log.child({ security: true }, log.level === 'silent' ? {} : { level: 'info' });
    this.#maxPerSecond = maxPerSecond;
    this.#nowMs = nowMs;
    this.#counter = new Counter({
      name: 'security_events_total',
      help: 'Security events, written to the log or suppressed in a flood',
      labelNames: ['event'],
      registers: [registry],
    });
  }

  record(event: SecurityEvent): void {
    this.#counter.inc({ event: event.event });
    const nowMs = this.#nowMs();
    let second = this.#seconds.get(event.event);
    const suppressed = second?.suppressed ?? 0;
    if (!second || nowMs < second.startedMs || nowMs - second.startedMs >= 1_000) {
      second = { startedMs: nowMs, written: 0, suppressed: 0 };
      this.#seconds.set(event.event, second);
    }
    if (second.written >= this.#maxPerSecond) {
      second.suppressed += 1;
      return;
    }
    const isFirst = second.written === 0;
    second.written += 1;
    this.#log.info({ ...event, ...(isFirst && suppressed > 0 && { suppressed }) }, 'security event');
  }
}
