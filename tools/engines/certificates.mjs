import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCommand, run } from './commands.mjs';

const DAYS = '30';
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Certificates of an authority of its own, for servers on 127.0.0.1 and another address, and their clients. */
export const certificates = {
  missingPackages: () => (findCommand('openssl') ? [] : ['openssl']),

  /** Returns the paths of PEM files. */
  async create(dir, logFile, host) {
    mkdirSync(dir, { recursive: true, mode: 0o755 });
    const file = (name) => join(dir, name);
    const openssl = (...args) => run('openssl', args, { logFile });
    const ca = { certificate: file('ca.pem'), key: file('ca.key') };
    const authority = ['-subj', '/CN=test authority', '-days', DAYS];
    await openssl('req', '-x509', ...KEY, ...authority, '-keyout', ca.key, '-out', ca.certificate);
    const sign = async (name, extensions) => {
      const extensionFile = file(`${name}.ext`);
      writeFileSync(extensionFile, extensions);
      const request = ['-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', `/CN=${name}`];
      await openssl('req', '-new', ...KEY, ...request);
      const signed = ['-CA', ca.certificate, '-CAkey', ca.key, '-CAcreateserial', '-days', DAYS];
      const out = ['-extfile', extensionFile, '-out', file(`${name}.pem`)];
      await openssl('x509', '-req', '-in', file(`${name}.csr`), ...signed, ...out);
      return { certificate: file(`${name}.pem`), key: file(`${name}.key`) };
    };
    return {
      ca: ca.certificate,
      // Servers of a cluster are clients of each other.
      server: await sign(
        'server',
        `subjectAltName=IP:127.0.0.1,IP:${host}\nextendedKeyUsage=serverAuth,clientAuth\n`,
      ),
      client: await sign('client', 'extendedKeyUsage=clientAuth\n'),
    };
  },
};
