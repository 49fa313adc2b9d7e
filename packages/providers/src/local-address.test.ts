import { expect, test } from '@jest/globals';
import { isLocalHost } from './local-address';

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '0.0.0.0',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '[::1]',
  '::',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  'fe80::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '[64:ff9b::a9fe:a9fe]',
  '64:ff9b::127.0.0.1',
  'metadata.goog',
  'localhost',
  'LOCALHOST.',
  'db.localhost',
  'metadata.google.internal',
])('%s is local', (host) => {
  expect(isLocalHost(host)).toBe(true);
});

test.each([
  '10.0.0.7',
  '192.168.1.20',
  '100.100.100.201',
  '[fd12:3456::1]',
  '2606:4700::1111',
  '64:ff9b::808:808',
  'vllm',
  'vllm.models.svc.cluster.local',
  'api.openai.com',
  'localhost.example.com',
])('%s is not local', (host) => {
  expect(isLocalHost(host)).toBe(false);
});
