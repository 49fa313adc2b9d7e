import { parseArgs } from 'node:util';
import { writeDevCertificates } from '@gateway/local-stack';
import { fileFromCaller } from './config-file';

const USAGE = `Usage: npm run dev-certs -- DIR [--days N] [--identity SPIFFE_ID]

Writes DIR/<service>/{tls.crt,tls.key,ca.crt} for each service, signed by the authority DIR/ca.crt, which is created if DIR has
none. Run it again to renew the certificates. SPIFFE_ID contains {service}: spiffe://model-gateway/{service} by default.`;

/** `npm run dev-certs`. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { days: { type: 'string', default: '365' }, identity: { type: 'string' } },
  });
  const [directory] = positionals;
  const days = Number(values.days);
  if (positionals.length !== 1 || !directory || !(days > 0)) {
    console.error(USAGE);
    return 2;
  }
  const { identity } = values;
  await writeDevCertificates(fileFromCaller(directory), { days, ...(identity && { identity }) });
  console.log(`Certificates for ${days} days are in ${directory}.`);
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
