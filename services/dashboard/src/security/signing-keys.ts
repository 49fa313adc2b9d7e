import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { LOGIN_TOKEN } from '@gateway/public-http';

/** Prefix of the seed in the PKCS #8 form of an Ed25519 private key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The first key signs; all verify, so that tokens stay valid when a key is replaced. */
export class SigningKeys {
  readonly #keys: readonly SigningKey[];

  /** @param seeds Ed25519 seeds, 32 bytes in base64url each; at least one */
  constructor(seeds: readonly string[]) {
    this.#keys = seeds.map(fromSeed);
  }

  get current(): SigningKey {
    return this.#keys[0]!;
  }

  find(id: string | undefined): SigningKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  /** Returns the JSON Web Key Set of the public keys. */
  toJwks() {
    const keys = this.#keys.map(({ id, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: id,
      use: 'sig',
      alg: LOGIN_TOKEN.algorithm,
    }));
    return { keys };
  }
}

function fromSeed(seed: string): SigningKey {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(seed, 'base64url')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const id = createHash('sha256').update(spki).digest('base64url').slice(0, 16);
  return { id, privateKey, publicKey };
}
