import { randomBytes, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_CALLERS, type Caller } from '@gateway/callers';

/** Names of the files, as in the Secrets of cert-manager. */
const FILES = { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' };
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const AUTHORITY_DAYS = 3_650;
const DAY_MS = 86_400_000;
/** For clocks that are behind. */
const BACKDATED_MS = 3_600_000;

/** Returns the settings of a service whose certificate is in the folder. */
export function certificateSettings(directory: string, service: Caller): Record<string, string> {
  const file = (name: string) => join(directory, service, name);
  return {
    GRPC_TLS_CERT_FILE: file(FILES.cert),
    GRPC_TLS_KEY_FILE: file(FILES.key),
    GRPC_TLS_CA_FILE: file(FILES.ca),
  };
}

export interface DevCertificateOptions {
  readonly days?: number;
  /** SPIFFE id with `{service}`, as in `GRPC_TLS_IDENTITY`. */
  readonly identity?: string;
}

/**
 * Writes a new certificate for each service, each in a folder of its own. The authority that signs them is created if
 * the folder has none. A file is replaced in one step.
 */
export async function writeDevCertificates(
  directory: string,
  { days = 365, identity = 'spiffe://model-gateway/{service}' }: DevCertificateOptions = {},
): Promise<void> {
  // Loaded here only, because it takes longer than the rest of the stack. The library needs the polyfill.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(globalThis.crypto);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const validity = (validDays: number) => ({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(Date.now() - BACKDATED_MS),
    notAfter: new Date(Date.now() + validDays * DAY_MS),
    signingAlgorithm: ALGORITHM,
  });
  const authority = await openAuthority(x509, directory, validity(AUTHORITY_DAYS));
  const ca = `${authority.certificate.toString('pem')}\n`;
  for (const service of ALL_CALLERS) {
    const keys = await newKeys();
    const usages = [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth];
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(days),
      subject: `CN=${service}`,
      issuer: authority.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(usages),
        new x509.SubjectAlternativeNameExtension([
          { type: 'url', value: identity.replaceAll('{service}', service) },
          { type: 'dns', value: service },
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
      ],
    });
    const folder = join(directory, service);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceFile(join(folder, FILES.ca), ca);
    replaceFile(join(folder, FILES.key), await pemOf(x509, keys.privateKey));
    replaceFile(join(folder, FILES.cert), `${certificate.toString('pem')}\n`);
  }
}

type X509 = typeof import('@peculiar/x509');

/** Returns the authority in the folder; creates one if there is none. */
async function openAuthority(x509: X509, directory: string, validity: object) {
  const files = { certificate: join(directory, FILES.ca), key: join(directory, 'ca.key') };
  if (existsSync(files.key)) {
    const key = x509.PemConverter.decodeFirst(readFileSync(files.key, 'utf8'));
    return {
      certificate: new x509.X509Certificate(readFileSync(files.certificate, 'utf8')),
      privateKey: await webcrypto.subtle.importKey('pkcs8', key, ALGORITHM, false, ['sign']),
    };
  }
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Model Gateway development',
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  replaceFile(files.certificate, `${certificate.toString('pem')}\n`);
  replaceFile(files.key, await pemOf(x509, keys.privateKey));
  return { certificate, privateKey: keys.privateKey };
}

const newKeys = () =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const pemOf = async (x509: X509, key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;

function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
