import { createHmac, timingSafeEqual } from 'node:crypto';

/** One video of a task, for anyone with the link, until it expires. */
export interface LinkedVideo {
  readonly taskId: string;
  readonly index: number;
  readonly expiresAtMs: number;
}

const PURPOSE = 'gateway video link';
const TOKEN = /^(task_[0-9a-f-]{36})\.(\d{1,3})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Signs links that open a video for a while without a key, as storage services do. The first secret signs, all verify, so that
 * secrets can be replaced one by one.
 */
export class LinkSigner {
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** In whole seconds, rounded up. */
  sign({ taskId, index, expiresAtMs }: LinkedVideo): string {
    const said = `${taskId}.${index}.${Math.ceil(expiresAtMs / 1_000)}`;
    return `${said}.${macOf(this.#secrets[0] ?? '', said).toString('base64url')}`;
  }

  /** Undefined for an invalid or expired link. */
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
