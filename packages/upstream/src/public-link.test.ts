import { expect, test } from '@jest/globals';
import { refusalOfLink } from './public-link';

test.each([
  'https://example.com/a.png',
  'HTTPS://cdn.example.com/a.png',
  'Https://cdn.example.com/a.png',
  'https://Example.COM:8443/a?b=c#d',
  'https://cdn.images.co.uk/a@b.png',
  'https://8.8.8.8/a.png',
  'https://[2606:4700::1111]/a.png',
  'https://xn--bcher-kva.example.com./a',
])('accepts the public link %s', (link) => {
  expect(refusalOfLink(link)).toBeUndefined();
});

test.each([
  ['http://example.com/a.png', 'https link'],
  ['ftp://example.com/a.png', 'https link'],
  ['gs://bucket/a.png', 'https link'],
  ['file:///etc/passwd', 'https link'],
  ['//example.com/a.png', 'https link'],
  ['https:/example.com/a.png', 'not a valid'],
  ['https:\\\\example.com\\a.png', 'not a valid'],
  ['https://exam\tple.com/a.png', 'not a valid'],
  ['https://', 'not a valid'],
  ['https://user:word@example.com/a.png', 'credentials'],
  ['https://user@example.com/a.png', 'credentials'],
  ['https://@example.com/a.png', 'credentials'],
  ['HTTPS://@example.com/a.png', 'credentials'],
  ['HTTPS://10.0.0.1/a.png', 'public host'],
  ['https://localhost/a.png', 'public host'],
  ['https://localhost./a.png', 'public host'],
  ['https://app.localhost/a.png', 'public host'],
  ['https://intranet/a.png', 'public host'],
  ['https://metadata.google.internal/computeMetadata/v1', 'public host'],
  ['https://printer.local/a.png', 'public host'],
  ['https://billing.prod.svc/a.png', 'public host'],
  ['https://billing.prod.svc.cluster.local/a.png', 'public host'],
  ['https://127.0.0.1/a.png', 'public host'],
  ['https://2130706433/a.png', 'public host'],
  ['https://0x7f.1/a.png', 'public host'],
  ['https://017700000001/a.png', 'public host'],
  ['https://0/a.png', 'public host'],
  ['https://10.0.0.1/a.png', 'public host'],
  ['https://172.31.0.1/a.png', 'public host'],
  ['https://192.168.1.1/a.png', 'public host'],
  ['https://100.64.0.1/a.png', 'public host'],
  ['https://169.254.169.254/latest/meta-data', 'public host'],
  ['https://168.63.129.16/metadata', 'public host'],
  ['https://[::1]/a.png', 'public host'],
  ['https://[::ffff:10.0.0.1]/a.png', 'public host'],
  ['https://[::ffff:8.8.8.8]/a.png', 'public host'],
  ['https://[64:ff9b::a00:1]/a.png', 'public host'],
  ['https://[2002:a00:1::]/a.png', 'public host'],
  ['https://[fd00:ec2::254]/a.png', 'public host'],
  ['https://[fe80::1]/a.png', 'public host'],
  [`https://example.com/${'a'.repeat(10_000)}`, 'longer than'],
])('refuses the link %s: %s', (link, why) => {
  expect(refusalOfLink(link)).toContain(why);
});
