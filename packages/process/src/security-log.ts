import { Counter, type Registry } from 'prom-client';
import type { Logger } from './log';

export interface SecurityEvent {
  /** What happened, for example `login.failed`: a fixed set of names. */
  readonly event: string;
  /** Id of the user or API key that acted, as far as it is known. */
  readonly actorId?: string;
  readonly accountId?: string;
  /** IP address of the client. */
  readonly address?: string;
  readonly requestId?: string;
  /** The call that made a change, as the audit log names it. */
  readonly action?: string;
  /** What it was done to, for example a key's id. */
  readonly subject?: string;
  /** In a few words; never a password, a token or a key's value. */
  readonly reason?: string;
}

export interface SecurityLogOptions {
  readonly log: Logger;
  readonly registry: Registry;
  /** Lines written in a second for one kind of event; more are counted only. */
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
 * Writes security events as log lines with `security: true`, at level `info` whatever `LOG_LEVEL` is. A flood of one
 * kind of event is counted instead of written: the next line of that kind says how many are missing, and
 * `security_events_total` counts all of them.
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
