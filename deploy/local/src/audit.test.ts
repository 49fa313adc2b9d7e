import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const AUDIT = join(__dirname, '../audit.mjs');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the audit with a package manager that prints the report. */
function audit(report: string) {
  const reportFile = join(folder, 'report.json');
  writeFileSync(reportFile, report);
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\ncat '${reportFile}'\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [AUDIT], { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const advisory = (severity: string) =>
  JSON.stringify({
    advisories: {
      1: {
        ...{ severity, module_name: 'left-pad', vulnerable_versions: '<1.3.1' },
        ...{ title: 'Pads too far', url: 'https://example.com/advisory' },
      },
    },
  });

test.each(['high', 'critical'])('a vulnerability of %s severity fails, and is named', (severity) => {
  const { status, output } = audit(advisory(severity));
  expect(status).toBe(1);
  expect(output).toContain(`${severity}: left-pad <1.3.1: Pads too far (https://example.com/advisory)`);
});

test.each([
  ['a vulnerability of moderate severity', advisory('moderate'), '0 severe vulnerabilities'],
  ['a registry without vulnerabilities to report', '{"advisories":{}}', '0 severe vulnerabilities'],
  ['a registry that refuses', '{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE"}}', 'were not scanned'],
  ['a registry that is not reached', '', 'were not scanned'],
])('%s is no failure', (_what, report, expected) => {
  const { status, output } = audit(report);
  expect([status, output]).toEqual([0, expect.stringContaining(expected)]);
});
