import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@gateway/process';
import type { experimental } from '@grpc/grpc-js';

const REFRESH_MS = 5_000;

/** Paths of PEM files. */
export interface CertificateFileNames {
  /** With intermediate certificates, if any. */
  readonly cert: string;
  readonly key: string;
  /** One or more certificates of authorities. */
  readonly ca: string;
}

export interface CertificateMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * Reads a certificate, its key and the authorities again when their files change. While the files don't fit together, as in
 * the middle of a replacement, the earlier ones remain in use; grpc-js's own provider would refuse all new connections.
 */
export class CertificateFiles implements experimental.CertificateProvider {
  readonly #names: CertificateFileNames;
  readonly #check: (certificate: X509Certificate) => void;
  readonly #log: Logger;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  #current: CertificateMaterial;

  /** @param check throws if the certificate is not this service's. @throws Error if the files can't be used */
  constructor(names: CertificateFileNames, check: (certificate: X509Certificate) => void, log: Logger) {
    this.#names = names;
    this.#check = check;
    this.#log = log;
    const { cert, key, ca } = names;
    this.#current = this.#checked({ cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) });
    setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  get current(): CertificateMaterial {
    return this.#current;
  }

  /** Of the certificate, not of the authorities. */
  get expiry(): Date {
    return new Date(new X509Certificate(this.#current.cert).validTo);
  }

  /** Reads the files now. */
  async refresh(): Promise<void> {
    try {
      const { cert, key, ca } = this.#names;
      const [newCert, newKey, newCa] = await Promise.all([readFile(cert), readFile(key), readFile(ca)]);
      const { current } = this;
      if (newCert.equals(current.cert) && newKey.equals(current.key) && newCa.equals(current.ca)) return;
      this.#current = this.#checked({ cert: newCert, key: newKey, ca: newCa });
    } catch (err) {
      this.#log.error({ err }, 'certificate files are not usable: the earlier certificate remains in use');
      return;
    }
    for (const listener of this.#caListeners) this.#tellCa(listener);
    for (const listener of this.#identityListeners) this.#tellIdentity(listener);
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    // grpc-js registers for its own updates after it has added its listener.
    process.nextTick(() => this.#tellCa(listener));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    process.nextTick(() => this.#tellIdentity(listener));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  #tellCa(listener: CaListener): void {
    listener({ caCertificate: this.#current.ca });
  }

  #tellIdentity(listener: IdentityListener): void {
    listener({ certificate: this.#current.cert, privateKey: this.#current.key });
  }

  #checked(material: CertificateMaterial): CertificateMaterial {
    // Throws if the key is not the certificate's.
    createSecureContext({ ...material });
    const certificate = new X509Certificate(material.cert);
    this.#check(certificate);
    this.#log.info({ validTo: certificate.validTo }, 'certificate loaded');
    return material;
  }
}
