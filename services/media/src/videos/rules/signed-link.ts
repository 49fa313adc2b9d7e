import { createHmac, timingSafeEqual } from 'node:crypto';

/** One video of a task, for whoever holds the link, until then. */
export interface LinkedVideo {
  readonly taskId: string;
  readonly index: number;
  readonly expiresAtMs: number;
}

const PURPOSE = 'gateway video link';
const TOKEN = /^(task_[0-9a-f-]{36})\.(\d{1,3})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Links that open a video for a while without a key, as storage services sign them. A link is made by the first secret
 * and opened by any: secrets are replaced one after another.
 */
export class LinkSigner {
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** To the second, rounded up. */
  sign({ taskId, index, expiresAtMs }: LinkedVideo): string {
    const said = `${taskId}.${index}.${Math.ceil(expiresAtMs / 1_000)}`;
    return `${said}.${macOf(this.#secrets[0] ?? '', said).toString('base64url')}`;
  }

  /** Undefined for a link that we did not make, or that has ended. */
  open(token: string, nowMs: number): LinkedVideo | undefined {
    const [, taskId = '', index, seconds, mac = ''] = TOKEN.exec(token) ?? [];
    const said = token.slice(0, token.lastIndexOf('.'));
    const given = Buffer.from(mac, 'base64url');
    const genuine = this.#secrets.some((secret) => isSame(given, macOf(secret, said)));
    const expiresAtMs = Number(seconds) * 1_000;
    return genuine && nowMs < expiresAtMs ? { taskId, index: Number(index), expiresAtMs } : undefined;
  }
}

const macOf = (secret: string, said: string) =>
  createHmac('sha256', secret).update(`${PURPOSE}\n${said}`).digest();

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);
