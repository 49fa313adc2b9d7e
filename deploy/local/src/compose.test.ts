import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const file = readFileSync(join(__dirname, '../../../docker-compose.yml'), 'utf8');
const [, services = ''] = /^services:\n([\s\S]*?)^volumes:/m.exec(file) ?? [];
/** The name and the lines of each service. */
const blocks = services
  .split(/^ {2}(?=[a-z])/m)
  .filter((block) => /^[a-z-]+:\n/.test(block))
  .map((block): [string, string] => [block.slice(0, block.indexOf(':')), block]);
const template = (name: string) => new RegExp(`^x-${name}: [\\s\\S]*?\\n\\n`, 'm').exec(file)?.[0];

describe('docker-compose.yml', () => {
  test('lists the services in the form that these tests parse', () => {
    expect(blocks.length).toBeGreaterThan(10);
  });

  test('confines containers: no capabilities, no new privileges, a read-only file system', () => {
    expect(template('confined')).toMatch(/read_only: true/);
    expect(template('confined')).toMatch(/cap_drop: \[ALL\]/);
    expect(template('confined')).toMatch(/no-new-privileges:true/);
    for (const name of ['service', 'migration']) expect(template(name)).toContain('<<: *confined');
  });

  test.each(blocks)('confines the container %s and pins the tag of its image', (_name, block) => {
    expect(block).toMatch(/<<: \*(confined|service|migration)\n/);
    const image = /image: (\S+)/.exec(block)?.[1];
    if (image === undefined) expect(block).toMatch(/build:/);
    else expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-\w+)?$/);
  });

  test('configures the simulator only with the trial profile, and never as the address of a provider', () => {
    const lines = services
      .split('\n')
      .filter((line) => /simulat/i.test(line.replace(/ALLOW_SIMULATOR:/, 'simulator')));
    const settings = lines.filter((line) => /^ {6}[A-Z_]+: /.test(line));
    expect(settings.length).toBeGreaterThan(10);
    for (const line of settings) {
      expect(line).toContain('${COMPOSE_PROFILES:+');
      expect(line).not.toMatch(/(?<!SIM)_BASE_URL:/);
    }
    expect(blocks.find(([name]) => name === 'simulator')?.[1]).toContain('profiles: [trial]');
  });

  test('offers no chat provider when no key is set', () => {
    expect(services).toMatch(/CHAT_PROVIDERS: ",\$\{/);
  });

  test('waits until the database listens on TCP, and retries a failed migration', () => {
    expect(services).toMatch(/pg_isready --host 127\.0\.0\.1/);
    expect(template('migration')).toContain('restart: on-failure');
  });

  test('protects Kafka with a login, which every service that uses it has', () => {
    const kafka = blocks.find(([name]) => name === 'kafka')?.[1];
    expect(kafka).toMatch(
      /KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT\n/,
    );
    expect(kafka).toMatch(/KAFKA_LISTENERS: CLIENTS:\/\/:9092,CONTROLLER:\/\/127\.0\.0\.1:9093\n/);
    expect(template('kafka')).toMatch(/KAFKA_PASSWORD: \$\{KAFKA_PASSWORD:\?set in \.env\}/);
    const users = blocks.filter(([, block]) => block.includes('<<: *kafka\n')).map(([name]) => name);
    expect(users).toEqual(['billing', 'chat', 'media']);
  });

  test('protects Redis with a password', () => {
    expect(services).toMatch(/requirepass/);
    expect(services).toMatch(/REDIS_URL: redis:\/\/:\$\{REDIS_PASSWORD\}@redis:6379/);
  });
});
