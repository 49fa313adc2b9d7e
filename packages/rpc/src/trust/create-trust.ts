import { CALLERS, type Caller, pairSetting, pairsOf, type ServiceName } from '@gateway/callers';
import { type Logger, SettingsError } from '@gateway/process';
import { CertificateFiles } from './certificate-files';
import { alternativeName, hasAlternativeName } from './peer-identity';
import { SecretTrust } from './secret-trust';
import { TlsTrust } from './tls-trust';
import type { Trust } from './trust';
import type { TrustSettings } from './trust-settings';

/** Creates the trust of a service: by certificates if it has one, otherwise by the secrets of its pairs. */
export function createTrust(service: Caller, settings: TrustSettings, log: Logger): Trust {
  const { GRPC_TLS_CERT_FILE: cert, GRPC_TLS_KEY_FILE: key, GRPC_TLS_CA_FILE: ca } = settings;
  if (cert && key && ca) return createTlsTrust(service, settings, { cert, key, ca }, log);
  if (cert || key || ca) {
    throw new SettingsError(['GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE, GRPC_TLS_CA_FILE: set all or none']);
  }
  return createSecretTrust(service, settings, log);
}

function createTlsTrust(
  service: Caller,
  settings: TrustSettings,
  names: { cert: string; key: string; ca: string },
  log: Logger,
): Trust {
  const identity = settings.GRPC_TLS_IDENTITY;
  const name = alternativeName(identity, service);
  try {
    const files = new CertificateFiles(
      names,
      ({ subjectAltName }) => {
        if (!hasAlternativeName(subjectAltName, name)) throw new Error(`the certificate is not for ${name}`);
      },
      log,
    );
    return new TlsTrust({ files, identity });
  } catch (error) {
    throw new SettingsError([
      `GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE, GRPC_TLS_CA_FILE: ${(error as Error).message}`,
    ]);
  }
}

function createSecretTrust(service: Caller, settings: TrustSettings, log: Logger): Trust {
  // The settings of pairs have no static names.
  const values: Readonly<Record<string, unknown>> = settings;
  const secretsOf = (caller: Caller, callee: ServiceName) =>
    (values[pairSetting(caller, callee)] as string[] | undefined) ?? settings.SERVICE_SECRET;
  const missing = pairsOf(service)
    .map(([caller, callee]) => pairSetting(caller, callee))
    .filter((name) => values[name] === undefined);
  if (missing.length > 0 && settings.SERVICE_SECRET) {
    log.warn({ missing }, 'SERVICE_SECRET is deprecated: set a secret for each pair of services');
  }
  const accepted = new Map<Caller, readonly string[]>();
  for (const [caller, callee] of pairsOf(service)) {
    const secrets = secretsOf(caller, callee);
    if (callee === service && secrets) accepted.set(caller, secrets);
  }
  if (Object.hasOwn(CALLERS, service) && accepted.size === 0) {
    throw new SettingsError(missing.map((name) => `${name}: required, unless TLS is on`));
  }
  const secretFor = (callee: ServiceName) => {
    const [secret] = secretsOf(service, callee) ?? [];
    if (secret === undefined)
      throw new SettingsError([`${pairSetting(service, callee)}: required, unless TLS is on`]);
    return secret;
  };
  return new SecretTrust(service, secretFor, accepted);
}
