import { accessSync, constants, readFileSync } from 'node:fs';

/** PEM files of a TLS connection. They are read for each new connection, so that replaced files apply without a restart. */
export interface TlsFiles {
  /** Absent: the authorities that Node trusts. */
  readonly ca?: string | undefined;
  /** Certificate and key of the client: both or neither. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** A login whose password may be in a file, which is read for each new connection as well. */
export interface Credentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** Options for `tls.connect`. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** @throws if a file can't be read */
export function readTlsFiles({ ca, certificate, key }: TlsFiles): TlsMaterial {
  return {
    ...(ca && { ca: readFileSync(ca) }),
    ...(certificate && key && { cert: readFileSync(certificate), key: readFileSync(key) }),
  };
}

/** Returns the password; of a file, its first line. @throws if the file can't be read */
export function readPassword({ password, passwordFile }: Credentials): string | undefined {
  if (passwordFile === undefined) return password;
  return readFileSync(passwordFile, 'utf8').split(/\r?\n/, 1)[0];
}

/**
 * Returns the problems of the settings `<prefix>_CA_FILE`, `<prefix>_CERTIFICATE_FILE` and `<prefix>_KEY_FILE`.
 * @param switchedOff what would have to change for the files to be used; undefined: they are used
 */
export function tlsFileProblems(
  prefix: string,
  { ca, certificate, key }: TlsFiles,
  switchedOff: string | undefined,
): string[] {
  const [certificateFile, keyFile] = [`${prefix}_CERTIFICATE_FILE`, `${prefix}_KEY_FILE`];
  const problems = unreadableFiles({
    [`${prefix}_CA_FILE`]: ca,
    [certificateFile]: certificate,
    [keyFile]: key,
  });
  if (switchedOff !== undefined && [ca, certificate, key].some((file) => file !== undefined))
    problems.push(`${switchedOff} for the files of certificates`);
  if ((certificate === undefined) !== (key === undefined))
    problems.push(`${certificateFile}, ${keyFile}: both or neither`);
  return problems;
}

/** Returns a problem for each of these settings that names a file which can't be read. */
export function unreadableFiles(files: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(files).flatMap(([setting, file]) => {
    if (file === undefined) return [];
    try {
      accessSync(file, constants.R_OK);
      return [];
    } catch {
      return [`${setting}: the file can't be read`];
    }
  });
}
