import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { CpuDeadline } from './cpu-deadline';

/** Decrypts the data of a stream. @param object number and generation of its object */
export type Decrypt = (data: Buffer, object: readonly [number: number, generation: number]) => Buffer;

/** What a password is padded with (ISO 32000-1, 7.6.3.3). */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const SALT = Buffer.from('sAlT');
const AES_BLOCK = 16;

/** Members of an encryption dictionary. */
interface Encryption {
  readonly version: number;
  readonly revision: number;
  readonly keyBytes: number;
  readonly permissions: number;
  readonly o: Buffer;
  readonly u: Buffer;
  readonly ue: Buffer;
  readonly hidesMetadata: boolean;
  readonly cipher: 'rc4' | 'aes' | 'none';
}

/**
 * Returns how the streams of a file are decrypted that anybody can open: with the empty user password, which only restricts what viewers
 * offer (ISO 32000-2, 7.6).
 * @param dictionary its encryption dictionary as it is in the file
 * @param id the first identifier of the file
 * @throws Error for other passwords and for methods that are not read
 */
export function decryptionOf(dictionary: string, id: Buffer, budget: CpuDeadline): Decrypt {
  const encryption = parse(dictionary);
  const { version, cipher } = encryption;
  const key = version === 5 ? longKey(encryption, budget) : shortKey(encryption, id);
  if (cipher === 'none') return (data) => data;
  return (data, [number, generation]) => {
    budget.spend(data.length);
    if (version === 5) return decryptAes('aes-256-cbc', key, data);
    const salt = Buffer.alloc(5);
    salt.writeUIntLE(number, 0, 3);
    salt.writeUInt16LE(generation, 3);
    const own = md5(key, salt, ...(cipher === 'aes' ? [SALT] : [])).subarray(0, Math.min(16, key.length + 5));
    return cipher === 'aes' ? decryptAes('aes-128-cbc', own, data) : rc4(own, data, budget);
  };
}

function parse(dictionary: string): Encryption {
  const version = integer(dictionary, 'V', 0);
  const revision = integer(dictionary, 'R', 0);
  if (!/\/Filter\s*\/Standard\b/.test(dictionary)) throw new Error('an unknown security handler');
  const bits = version === 4 ? 128 : version === 1 ? 40 : integer(dictionary, 'Length', 40);
  return {
    version,
    revision,
    keyBytes: Math.min(16, Math.max(5, bits >> 3)),
    permissions: integer(dictionary, 'P', 0),
    o: stringOf(dictionary, 'O'),
    u: stringOf(dictionary, 'U'),
    ue: version === 5 ? stringOf(dictionary, 'UE') : Buffer.alloc(0),
    hidesMetadata: !/\/EncryptMetadata\s+false\b/.test(dictionary),
    cipher: cipherOf(dictionary, version, revision),
  };
}

function cipherOf(dictionary: string, version: number, revision: number): Encryption['cipher'] {
  if ((version === 1 && revision === 2) || (version <= 2 && version > 0 && revision === 3)) return 'rc4';
  if (version < 4) throw new Error('an encryption that is not read');
  const [, streams] = /\/StmF\s*\/(\w+)/.exec(dictionary) ?? [];
  if (streams === undefined || streams === 'Identity') return 'none';
  const methods = new Set(
    dictionary.match(/\/CFM\s*\/\w+/g)?.map((method) => method.replace(/\/CFM\s*\//, '')),
  );
  const [method] = methods;
  if (methods.size === 1) {
    if (version === 4 && revision === 4 && method === 'V2') return 'rc4';
    if (version === 4 && revision === 4 && method === 'AESV2') return 'aes';
    if (version === 5 && (revision === 5 || revision === 6) && method === 'AESV3') return 'aes';
  }
  throw new Error('an encryption that is not read');
}

/** Returns the key of the empty password. @throws Error if the password is another one */
function shortKey({ revision, keyBytes, permissions, o, u, hidesMetadata }: Encryption, id: Buffer): Buffer {
  const p = Buffer.alloc(4);
  p.writeInt32LE(permissions | 0);
  const rest = revision >= 4 && !hidesMetadata ? [Buffer.alloc(4, 0xff)] : [];
  let key = md5(PADDING, o.subarray(0, 32), p, id, ...rest).subarray(0, keyBytes);
  if (revision >= 3) for (let round = 0; round < 50; round++) key = md5(key).subarray(0, keyBytes);
  let check = revision >= 3 ? rc4(key, md5(PADDING, id)) : rc4(key, PADDING);
  if (revision >= 3)
    for (let round = 1; round < 20; round++)
      check = rc4(
        key.map((byte) => byte ^ round),
        check,
      );
  if (!check.equals(u.subarray(0, check.length))) throw new Error('a password is required');
  return key;
}

/** The same of 256 bits (ISO 32000-2, 7.6.4.3.3). */
function longKey({ revision, u, ue }: Encryption, budget: CpuDeadline): Buffer {
  if (u.length < 48 || ue.length < 32) throw new Error('an encryption that is not read');
  const hash = (salt: Buffer) => (revision === 5 ? sha(256, salt) : hardenedHash(salt, budget));
  if (!hash(u.subarray(32, 40)).equals(u.subarray(0, 32))) throw new Error('a password is required');
  const decipher = createDecipheriv('aes-256-cbc', hash(u.subarray(40, 48)), Buffer.alloc(AES_BLOCK));
  decipher.setAutoPadding(false);
  return decipher.update(ue.subarray(0, 32));
}

/** The hash of the empty password by ISO 32000-2, algorithm 2.B. */
function hardenedHash(salt: Buffer, budget: CpuDeadline): Buffer {
  let key = sha(256, salt);
  for (let round = 1; ; round++) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    cipher.setAutoPadding(false);
    const encrypted = cipher.update(Buffer.alloc(key.length * 64, key));
    budget.spend(encrypted.length);
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = sha(([256, 384, 512] as const)[remainder]!, encrypted);
    if (round >= 64 && encrypted.at(-1)! <= round - 32) return key.subarray(0, 32);
  }
}

function decryptAes(algorithm: 'aes-128-cbc' | 'aes-256-cbc', key: Buffer, data: Buffer): Buffer {
  if (data.length < 2 * AES_BLOCK) return Buffer.alloc(0);
  const decipher = createDecipheriv(algorithm, key, data.subarray(0, AES_BLOCK));
  return Buffer.concat([decipher.update(data.subarray(AES_BLOCK)), decipher.final()]);
}

/** OpenSSL no longer has it. */
function rc4(key: Uint8Array, data: Buffer, budget?: CpuDeadline): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let index = 0, swap = 0; index < 256; index++) {
    swap = (swap + state[index]! + key[index % key.length]!) & 255;
    [state[index], state[swap]] = [state[swap]!, state[index]!];
  }
  let first = 0;
  let second = 0;
  return Buffer.from(
    data.map((byte) => {
      budget?.spend(2);
      first = (first + 1) & 255;
      const value = state[first]!;
      second = (second + value) & 255;
      const other = state[second]!;
      state[first] = other;
      state[second] = value;
      return byte ^ state[(value + other) & 255]!;
    }),
  );
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const sha = (bits: 256 | 384 | 512, data: Buffer): Buffer => createHash(`sha${bits}`).update(data).digest();

function integer(dictionary: string, name: string, usual: number): number {
  const [, digits] = new RegExp(`/${name}\\s+(-?\\d{1,10})\\b`).exec(dictionary) ?? [];
  return digits === undefined ? usual : Number(digits);
}

/** Returns a string of the dictionary. @throws Error if it has none */
function stringOf(dictionary: string, name: string): Buffer {
  const found = new RegExp(`/${name}\\s*([<(])`).exec(dictionary);
  if (!found) throw new Error('an encryption that is not read');
  return readString(dictionary, found.index + found[0].length - 1);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Returns the bytes of the string that begins there, in hexadecimal digits or in parentheses (ISO 32000-1, 7.3.4). */
export function readString(text: string, start: number): Buffer {
  if (text[start] === '<') {
    const end = text.indexOf('>', start);
    return Buffer.from(text.slice(start + 1, end).replace(/[\s\0]+/g, ''), 'hex');
  }
  let value = '';
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') {
      const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
      const next = text[at + 1] ?? '';
      if (octal) value += String.fromCharCode(Number.parseInt(octal, 8) & 255);
      else if (next !== '\n' && next !== '\r') value += ESCAPES[next] ?? next;
      at += octal?.length ?? (next === '\r' && text[at + 2] === '\n' ? 2 : 1);
      continue;
    }
    if (char === '(' && depth++ === 0) continue;
    if (char === ')' && --depth === 0) return Buffer.from(value, 'latin1');
    // A line end of any form is a line feed.
    if (char !== '\r') value += char;
    else if (text[at + 1] !== '\n') value += '\n';
  }
  throw new Error('a string without an end');
}
